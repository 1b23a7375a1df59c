import {
  algorithmByName,
  algorithmNames,
  createAdaptiveRate,
  createAdaptiveThrottle,
  createConcurrencyLimit,
  fixed,
  type LimitAlgorithm,
} from "@dt/adaptive";
import type { Runtime } from "@dt/core";
import { type Admission, unlimited } from "./admission.ts";

/**
 * What the clients of a run use: a limit by the name of its algorithm, an adaptive throttle or an adaptive rate, and
 * whether answers carry the callee's own queue wait.
 */
export interface Limiter {
  readonly name: string;
  readonly signal: boolean;
  admission(runtime: Runtime): Admission;
}

const SIGNAL = "+signal";

/** The form of names, for messages. */
export const LIMITER_FORMS = `none, fixed:<limit>, ${algorithmNames.join(", ")}, throttle, throttle:<k>, rate; each also with ${SIGNAL}: the callee reports queue waits`;

/** What the suite compares. Algorithms that look at latency alone would do the same with the signal. */
export const suiteLimiters: readonly string[] = [
  "none",
  ...algorithmNames.filter((name) => name !== "queue-wait" && name !== "automatic"),
  "throttle",
  "rate",
  "automatic",
  `queue-wait${SIGNAL}`,
  `automatic${SIGNAL}`,
];

/** Undefined when there is none of that name. */
export function limiterNamed(name: string): Limiter | undefined {
  const signal = name.endsWith(SIGNAL);
  const plain = signal ? name.slice(0, -SIGNAL.length) : name;
  const admission = admissionNamed(plain);
  return admission && { name, signal, admission };
}

function admissionNamed(name: string): Limiter["admission"] | undefined {
  if (name === "none") return unlimited;
  const limit = numberAfter("fixed", name);
  if (limit >= 1) return (runtime) => concurrencyLimit(fixed(limit), runtime);
  if (name === "throttle") return adaptiveThrottle;
  if (name === "rate") return adaptiveRate;
  const k = numberAfter("throttle", name);
  if (k > 1 && k <= 100) return (runtime) => adaptiveThrottle(runtime, k);
  const known = algorithmNames.find((one) => one === name);
  return known && ((runtime) => concurrencyLimit(algorithmByName(known), runtime));
}

/** The number in "fixed:12"; NaN when there is none. */
function numberAfter(word: string, name: string): number {
  const [before, number, ...rest] = name.split(":");
  return before === word && rest.length === 0 && /^\d+(\.\d+)?$/.test(number ?? "") ? Number(number) : Number.NaN;
}

/** The real limit, asked without waiting: what does not get a slot is not sent. */
function concurrencyLimit(algorithm: LimitAlgorithm, runtime: Runtime): Admission {
  const limit = createConcurrencyLimit({ algorithm, runtime });
  return {
    enter: (cost) => limit.tryAcquire(cost),
    get limit() {
      return limit.limit;
    },
  };
}

/** It counts calls, whatever they cost, as the rate does. */
function adaptiveThrottle(runtime: Runtime, k?: number): Admission {
  const throttle = createAdaptiveThrottle({ runtime, ...(k !== undefined && { k }) });
  return { enter: () => throttle.tryAcquire(), limit: Number.NaN };
}

function adaptiveRate(runtime: Runtime): Admission {
  const rate = createAdaptiveRate({ runtime });
  return { enter: () => rate.tryAcquire(), limit: Number.NaN };
}

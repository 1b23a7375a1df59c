import { algorithmByName, algorithmNames, createConcurrencyLimit, fixed, type LimitAlgorithm } from "@dt/adaptive";
import type { Runtime } from "@dt/core";
import { type Admission, unlimited } from "./admission.ts";

/** What the clients of a run use: a limit by the name of its algorithm, and whether answers carry the callee's own queue wait. */
export interface Limiter {
  readonly name: string;
  readonly signal: boolean;
  admission(runtime: Runtime): Admission;
}

const SIGNAL = "+signal";

/** The form of names, for messages. */
export const LIMITER_FORMS = `none, fixed:<limit>, ${algorithmNames.join(", ")}; each also with ${SIGNAL}: the callee reports queue waits`;

/** What the suite compares. Algorithms that look at latency alone would do the same with the signal. */
export const suiteLimiters: readonly string[] = [
  "none",
  ...algorithmNames.filter((name) => name !== "queue-wait" && name !== "automatic"),
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
  const limit = /^fixed:(\d+(?:\.\d+)?)$/.exec(name)?.[1];
  if (limit !== undefined && Number(limit) >= 1) return (runtime) => concurrencyLimit(fixed(Number(limit)), runtime);
  const known = algorithmNames.find((one) => one === name);
  return known && ((runtime) => concurrencyLimit(algorithmByName(known), runtime));
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

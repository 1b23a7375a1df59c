import { hostname } from "node:os";
import type { DtError, Duration, Runtime } from "@dt/core";
import { checkInteger, invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import { MOST_MEMBERS } from "./members/check-answer.ts";
import type { MemberSource } from "./members/source.ts";

/** Options of {@link podCountStore}. */
export interface PodCountOptions {
  /**
   * Where the fleet is observed: `fixedSource(5)`, `envSource("REPLICAS")`, `fileSource(...)`, `dnsSource(...)`,
   * `kubernetesSource(...)`, or one of your own.
   */
  readonly source: MemberSource;
  /**
   * How long a fact that raises a share must have been true before it counts. A member that is gone still counts for so
   * long, and a newcomer waits so long before its first grant. A shorter time starts sooner and can overshoot.
   * @default the throttle's `staleAfter` (10 s) plus the source's lag, which is what the promise needs; 0 for a source
   *   that never changes
   */
  readonly settle?: Duration;
  /**
   * This member's number, from 0, where the source only counts. `"none"`: there is none. A source that lists the
   * members has better: the place in its list.
   * @default `"auto"`: the ordinal at the end of `POD_NAME` or, within Kubernetes, of the host name (`web-3`: a
   *   StatefulSet's pod)
   */
  readonly ordinal?: number | "auto" | "none";
  /**
   * How long a call waits for the source's first answer.
   * @default 1 s
   */
  readonly timeout?: Duration;
  /**
   * Receives errors of observing, when they happen. Calls that fail because of them report them too.
   * @default none
   */
  readonly onError?: (error: DtError) => void;
  /**
   * Time, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** Options, checked. */
export interface PodCountSettings extends Settings<Omit<PodCountOptions, "ordinal">, "settle"> {
  readonly ordinal: number | undefined;
}

const STORE = {
  source: option.checked(checkSource),
  settle: option.duration(0).optional,
  ordinal: option.checked(checkOrdinal).or("auto"),
  timeout: option.duration(1).or("1s"),
  onError: option.callback<PodCountOptions["onError"]>("give a function").or(() => undefined),
  runtime: option.runtime,
} satisfies TableOf<PodCountOptions>;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkPodCountOptions(options: PodCountOptions): PodCountSettings {
  const settings = settingsOf(STORE, options);
  return { ...settings, onError: (error) => tell(settings.onError, error) };
}

function checkSource(name: string, given: unknown): MemberSource {
  const source = given as Partial<MemberSource> | null | undefined;
  if (typeof source === "object" && typeof source?.name === "string" && typeof source.open === "function")
    return source as MemberSource;
  throw invalidOption(
    name,
    given,
    "give fixedSource(5), envSource(...), dnsSource(...), kubernetesSource(...) or another MemberSource",
  );
}

function checkOrdinal(name: string, ordinal: unknown): number | undefined {
  if (ordinal === "auto") return ownOrdinal();
  if (ordinal === "none") return undefined;
  if (typeof ordinal === "number") return checkInteger(name, ordinal, 0, MOST_MEMBERS - 1);
  throw invalidOption(name, ordinal, 'give a whole number from 0, "auto" or "none"');
}

/** A listener that throws is reported as what it is, an uncaught exception, and disturbs nothing here. */
function tell(onError: (error: DtError) => void, error: DtError): void {
  try {
    onError(error);
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}

/** The ordinal at the end of a StatefulSet pod's name: 3 of `web-3`; undefined when there is none. */
export function ordinalOf(podName: string): number | undefined {
  const digits = /-(0|[1-9]\d{0,5})$/.exec(podName.split(".", 1)[0] as string)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * This pod's ordinal. From `POD_NAME`; within Kubernetes also from the host name. The host name of a machine such as
 * `ip-10-0-0-5` says nothing of the kind, so elsewhere it is not looked at.
 */
export function ownOrdinal(env: NodeJS.ProcessEnv = process.env, host: string = hostname()): number | undefined {
  const { POD_NAME: podName, KUBERNETES_SERVICE_HOST: kubernetes } = env;
  if (podName) return ordinalOf(podName);
  return kubernetes ? ordinalOf(host) : undefined;
}

import { type DtError, type Duration, type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkInteger, checkKeys, checkRuntime, invalidOption } from "@dt/core/ledger";
import { ownOrdinal } from "./ordinal.ts";
import { LARGEST_POOL } from "./pool/check-answer.ts";
import type { PoolSource } from "./pool/source.ts";

/** Options of {@link podCountStore}. */
export interface PodCountOptions {
  /**
   * Where the pool is observed: `fixedSource(5)`, `envSource("REPLICAS")`, `fileSource(...)`, `dnsSource(...)`,
   * `kubernetesSource(...)`, or one of your own.
   */
  readonly source: PoolSource;
  /**
   * How long whatever raises a share must have been true before it is believed: a processor that is gone still counts
   * for so long, a newcomer waits so long before its first grant. Default: the throttle's `staleAfter` (10 s) plus the
   * source's lag, which is what the promise needs; 0 for a source that never changes. Less starts sooner and can
   * overshoot.
   */
  readonly settle?: Duration;
  /**
   * This processor's number, from 0, where the source only counts. Default `"auto"`: the ordinal at the end of
   * `POD_NAME` or, within Kubernetes, of the host name (`web-3`: a StatefulSet's pod). `"none"`: there is none. A
   * source that lists the processors has better: the place in its list.
   */
  readonly ordinal?: number | "auto" | "none";
  /** How long a call waits for the source's first answer. Default 1 s. */
  readonly timeout?: Duration;
  /**
   * Hears what goes wrong while observing, when it happens. Calls that fail because of it say so too. Default: nobody.
   */
  readonly onError?: (error: DtError) => void;
  /** Time, timers and randomness. Default: the real ones. */
  readonly runtime?: Runtime;
}

/** Options, checked. */
export interface PodCountSettings {
  readonly source: PoolSource;
  readonly settleMs: number | undefined;
  readonly ordinal: number | undefined;
  readonly timeoutMs: number;
  readonly onError: (error: DtError) => void;
  readonly runtime: Runtime;
}

const KNOWN: ReadonlySet<string> = new Set<keyof PodCountOptions>([
  "source",
  "settle",
  "ordinal",
  "timeout",
  "onError",
  "runtime",
]);

/** @throws DtError `DT_INVALID_OPTION` */
export function checkOptions(options: PodCountOptions): PodCountSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", options, "give an object such as { source: fixedSource(5) }");
  checkKeys("options", options, KNOWN);
  const {
    source,
    settle,
    ordinal = "auto",
    timeout = "1s",
    onError = () => undefined,
    runtime = systemRuntime,
  } = options;
  if (
    typeof source !== "object" ||
    source === null ||
    typeof source.name !== "string" ||
    typeof source.open !== "function"
  )
    throw invalidOption(
      "source",
      source,
      "give fixedSource(5), envSource(...), dnsSource(...), kubernetesSource(...) or another PoolSource",
    );
  if (typeof onError !== "function") throw invalidOption("onError", onError, "give a function");
  return {
    source,
    settleMs: settle === undefined ? undefined : checkDuration("settle", settle, 0),
    ordinal: checkOrdinal(ordinal),
    timeoutMs: checkDuration("timeout", timeout, 1),
    onError: (error) => tell(onError, error),
    runtime: checkRuntime(runtime),
  };
}

function checkOrdinal(ordinal: unknown): number | undefined {
  if (ordinal === "auto") return ownOrdinal();
  if (ordinal === "none") return undefined;
  if (typeof ordinal === "number") return checkInteger("ordinal", ordinal, 0, LARGEST_POOL - 1);
  throw invalidOption("ordinal", ordinal, 'give a whole number from 0, "auto" or "none"');
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

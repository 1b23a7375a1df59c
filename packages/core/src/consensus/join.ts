import { DtError, isDtError } from "../errors/dt-error.ts";
import { elapsed } from "../internal/elapsed.ts";
import { whenAborted } from "../internal/when-aborted.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { PROMPT_MS } from "./sync-schedule.ts";

const LONGEST_PAUSE_MS = 1_000;

/** What waiting may mend: the store comes up, or the members that run with another interval leave. */
const MENDED_BY_WAITING: ReadonlySet<string> = new Set([
  "DT_STORE_UNAVAILABLE",
  "DT_STORE_TIMEOUT",
  "DT_INTERVAL_MISMATCH",
]);

/** What a start needs of a membership. */
interface Joining {
  readonly standing: string;
  syncNow(): Promise<void>;
  /** Ends background calls until the next `syncNow`. */
  rest(): void;
}

/** How long a start tries. */
export interface Patience {
  /** The limiter that starts, as errors name it. */
  readonly what: string;
  readonly runtime: Runtime;
  /** From the first try on; 0 is a single try. */
  readonly forMs: number;
  /** Ends it at once, with its reason. */
  readonly signal: AbortSignal;
}

/**
 * Joins the group, and tries again for as long as it is told. What no waiting mends fails at once.
 * @throws DtError what the last try failed with; the message of one that was tried again says for how long
 */
export async function join(membership: Joining, { what, runtime, forMs, signal }: Patience): Promise<void> {
  const beganMs = runtime.now();
  for (let tries = 1; ; tries++) {
    try {
      return await unlessAborted(membership.syncNow(), signal);
    } catch (error) {
      if (signal.aborted || membership.standing === "left") throw error;
      if (!isDtError(error) || !MENDED_BY_WAITING.has(error.code)) throw error;
      const pauseMs = Math.min(PROMPT_MS * 2 ** Math.min(tries - 1, 10), LONGEST_PAUSE_MS);
      const jitteredMs = pauseMs * (0.5 + runtime.random() / 2);
      const triedMs = runtime.now() - beganMs;
      if (triedMs + jitteredMs >= forMs) throw tries === 1 ? error : triedFor(what, triedMs, tries, error);
      // The next try is made here.
      membership.rest();
      // A start that no caller waits for does not keep the process running.
      await elapsed(runtime, jitteredMs, signal, { keepAlive: false });
    }
  }
}

function triedFor(what: string, triedMs: number, tries: number, cause: DtError): DtError {
  return new DtError(
    cause.code,
    `${what} did not start: ${tries} tries within ${Math.round(triedMs)} ms failed, the last with: ${cause.message}`,
    { cause, effect: cause.effect },
  );
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const stopListening = whenAborted(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(stopListening);
  });
}

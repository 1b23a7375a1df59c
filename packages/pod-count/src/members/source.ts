import type { DtError, Runtime } from "@dt/core";

/**
 * Where the number of members is observed. The package has some (`fixedSource`, `envSource`, `fileSource`, `dnsSource`,
 * `kubernetesSource`); an object of this shape is a source of your own.
 */
export interface MemberSource {
  /** For messages: `"dns web.default.svc.cluster.local"`. */
  readonly name: string;
  /**
   * Begins to observe, and goes on until the function that it returns is called. It reports every answer and every
   * failure to the observer, and tries again by itself. It never throws. Nothing in it may keep the process running.
   * @param observer receives every answer
   */
  open(observer: MemberObserver): () => void;
}

/** Receives the answers and failures of a source, and gives it time and timers. */
export interface MemberObserver {
  /** Its timers do not keep the process running. */
  readonly runtime: Runtime;
  /**
   * A complete answer. The same answer again confirms it.
   * @param answer the number of processes, and this one's place among them
   */
  observed(answer: MemberAnswer): void;
  /**
   * An attempt failed; the last answer stays in use as long as it is fresh.
   * @param error what the driver threw
   */
  failed(error: DtError): void;
}

/** One answer of a source. */
export interface MemberAnswer {
  /** The members there are: their names, or only how many, 1 to 100,000. */
  readonly members: number | readonly string[];
  /** Where the members are a list: this member's name in it, `undefined` when it is not there. */
  readonly self?: string | undefined;
  /** What to do when this member is not in the list, for the message. */
  readonly remedy?: string;
  /** How long this answer may be used without another one. `Infinity` for one that never changes. In milliseconds. */
  readonly freshForMs: number;
  /**
   * The longest time from a change of the fleet to when every member has the change or no longer uses an older answer.
   * It is how old an answer may be when it comes, plus `freshForMs`. 0 for a fleet that never changes. In milliseconds.
   */
  readonly lagMs: number;
}

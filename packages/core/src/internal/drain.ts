import type { Runtime } from "../runtime/runtime.ts";
import { checkDuration, checkKeys } from "./check.ts";
import type { Duration } from "./duration.ts";

/** Options of `drain`. */
export interface DrainOptions {
  /**
   * How long waiting callers and running wrapped calls have to finish.
   * @default 25 s: 5 s less than Kubernetes gives a pod to end
   */
  readonly timeout?: Duration | undefined;
}

const DRAIN_OPTIONS: ReadonlySet<string> = new Set<keyof DrainOptions>(["timeout"]);

/**
 * The time that a drain may take, in milliseconds.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkDrain(options: DrainOptions): number {
  checkKeys("options", options, DRAIN_OPTIONS);
  return checkDuration("timeout", options.timeout ?? 25_000, 0);
}

/** What ends in order: a pacer, a limit, a guard. */
export interface Drained {
  /** Takes in nobody new from now on, if it runs. */
  refuse(): void;
  /** False as long as it was not asked to end, and once it was stopped. */
  isDraining(): boolean;
  stop(): Promise<void> | void;
  /** False when the store did not take back what is not used any more. Left out where nothing goes back. */
  gaveBack?(): boolean;
}

/** What is still to be done before something may end in order: those who wait, and wrapped calls. */
export class Drain {
  readonly #runtime: Runtime;
  readonly #waiting: () => number;
  /** Wrapped calls that have begun, waiting or running. */
  #calls = 0;
  #whenIdle: (() => void) | undefined;
  #ending: Promise<boolean> | undefined;
  /** Told during a drain when nobody waits any more, while wrapped calls may still run. */
  onServed: () => void = () => undefined;

  /** @param waiting says how many wait */
  constructor(runtime: Runtime, waiting: () => number) {
    this.#runtime = runtime;
    this.#waiting = waiting;
  }

  /** A wrapped call begins; returns what tells that it has ended. */
  begin(): () => void {
    this.#calls += 1;
    return () => {
      this.#calls -= 1;
      this.look();
    };
  }

  /**
   * Refuses newcomers, waits until those who wait are served and wrapped calls have finished, and stops, after the
   * options' `timeout` at the latest. True when all of that was done, false when time was up, it was stopped meanwhile,
   * or what was not used could not be given back. The first call counts.
   * @throws DtError `DT_INVALID_OPTION`
   */
  async end(options: DrainOptions, drained: Drained): Promise<boolean> {
    const timeoutMs = checkDrain(options);
    this.#ending ??= this.#end(timeoutMs, drained);
    return this.#ending;
  }

  async #end(timeoutMs: number, drained: Drained): Promise<boolean> {
    drained.refuse();
    const idle = await this.idleWithin(timeoutMs);
    const inOrder = idle && drained.isDraining();
    await drained.stop();
    return inOrder && (drained.gaveBack?.() ?? true);
  }

  /** True once nobody waits and no wrapped call is under way, false when that takes longer. */
  idleWithin(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#runtime.setTimer(() => resolve(false), timeoutMs);
      this.#whenIdle = () => {
        timer.cancel();
        resolve(true);
      };
      this.look();
    });
  }

  /** To be called when nobody waits any more. */
  look(): void {
    if (this.#whenIdle === undefined || this.#waiting() > 0) return;
    this.onServed();
    if (this.#calls === 0) this.#whenIdle();
  }
}

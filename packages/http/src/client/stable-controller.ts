import type { DispatchController } from "./undici.ts";

/** What the handler holds of its request from the beginning to the end, whichever attempt is under way. */
export class StableController implements DispatchController {
  /** Told of the first abort. */
  readonly #onAbort: (reason: Error) => void;
  /** Told when whoever reads stops reading, and goes on. */
  readonly #onFlow: (paused: boolean) => void;
  #target: DispatchController | undefined;
  #paused = false;
  #reason: Error | null = null;

  constructor(onAbort: (reason: Error) => void, onFlow: (paused: boolean) => void) {
    this.#onAbort = onAbort;
    this.#onFlow = onFlow;
  }

  /** The answer of this attempt is the one that is handed on. */
  connect(target: DispatchController): void {
    this.#target = target;
  }

  get aborted(): boolean {
    return this.#reason !== null;
  }

  get reason(): Error | null {
    return this.#reason;
  }

  get paused(): boolean {
    return this.#paused;
  }

  get rawHeaders(): NonNullable<DispatchController["rawHeaders"]> | null {
    return this.#target?.rawHeaders ?? null;
  }

  get rawTrailers(): NonNullable<DispatchController["rawTrailers"]> | null {
    return this.#target?.rawTrailers ?? null;
  }

  pause(): void {
    this.#paused = true;
    this.#onFlow(true);
    this.#target?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#onFlow(false);
    this.#target?.resume();
  }

  abort(reason: Error): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#onAbort(reason);
  }
}

import type { StoreCapabilities } from "../contract/coordination-store.ts";
import { describe } from "../internal/duration.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { systemRuntime } from "../runtime/system-runtime.ts";

/** A limiter that was started and not stopped. */
export interface Running {
  readonly name: string;
  /** Until when the others wait for what it holds if it is never stopped, in milliseconds of silence. */
  readonly staleAfterMs: number;
  leave(): Promise<unknown>;
  /** Whether its store was not closed yet. */
  isOpen(): Promise<boolean>;
}

const NOT_STOPPED = "DT_NOT_STOPPED";
const NOT_CLOSED = "DT_NOT_CLOSED";

/** A process that has only connections left so long after its last limiter was stopped may wait for them for ever. */
const LOOK_AFTER_MS = 5_000;

/** What keeps a process running that only forgot to close its store; the last two are its standard streams. */
const CONNECTIONS: ReadonlySet<string> = new Set(["TCPSocketWrap", "TLSWrap", "PipeWrap", "TTYWrap"]);

/** Groups that a warning names. */
const MOST_NAMED = 3;

/** The part of Node's `process` that is used here. */
interface ProcessLike {
  getActiveResourcesInfo?(): readonly string[];
  on?(event: "beforeExit" | "exit", listener: (code: number) => void): unknown;
  emitWarning?(warning: string, options: { readonly type: string; readonly code: string }): void;
  // biome-ignore lint/suspicious/noExplicitAny: modules of Node's, whose types bundles for browsers do not have.
  getBuiltinModule?(name: string): any;
}

/**
 * The limiters of a process that run. One that was never stopped would hold its share for `staleAfter` after the end of
 * the process. So a process that has nothing left to do leaves its groups by itself; and a process that ends in good
 * order without `stop()`, in either way, is told so. One whose store was never closed does not end: it is told, too.
 */
export class Unstopped {
  readonly #process: ProcessLike | undefined;
  readonly #running = new Set<Running>();
  #listening = false;

  readonly #setTimer: Runtime["setTimer"];

  constructor(process: ProcessLike | undefined, setTimer: Runtime["setTimer"]) {
    this.#process = process;
    this.#setTimer = setTimer;
  }

  add(running: Running): void {
    this.#running.add(running);
    if (this.#listening) return;
    this.#listening = true;
    this.#process?.on?.("beforeExit", () => this.#leaveAll());
    this.#process?.on?.("exit", (code) => this.#tellAtExit(code));
  }

  delete(running: Running): void {
    this.#running.delete(running);
    if (this.#running.size > 0) return;
    this.#setTimer(() => void this.#lookAtStore(running), LOOK_AFTER_MS, { keepAlive: false });
  }

  /** Asks only where connections are all that keeps the process running: a server, a timer or a file is work. */
  async #lookAtStore({ isOpen }: Running): Promise<void> {
    const kept = this.#process?.getActiveResourcesInfo?.() ?? [];
    if (this.#running.size > 0 || !kept.some((name) => name === "TCPSocketWrap" || name === "TLSWrap")) return;
    if (!kept.every((name) => CONNECTIONS.has(name)) || !(await isOpen())) return;
    const why = "Every limiter was stopped, and only open connections keep the process running.";
    const remedy = "Await the store's close() if nothing uses it any more.";
    this.#process?.emitWarning?.(`${why} ${remedy}`, { type: "DtWarning", code: NOT_CLOSED });
  }

  /** Nothing keeps the process running any more but what is begun here. */
  #leaveAll(): void {
    if (this.#running.size === 0) return;
    const options = { type: "DtWarning", code: NOT_STOPPED };
    const why = "The process has nothing left to do, so they leave their groups now, if their store is open.";
    this.#process?.emitWarning?.(`${this.#named()} ${why} ${REMEDY}`, options);
    for (const running of this.#running) void running.leave();
  }

  /**
   * `process.exit` allows no more calls to a store. One that fails has said why, and warnings are not shown any more.
   */
  #tellAtExit(code: number): void {
    if (this.#running.size === 0 || code !== 0) return;
    const longestMs = Math.max(...[...this.#running].map(({ staleAfterMs }) => staleAfterMs));
    const why = `Other processes wait for their shares for up to ${longestMs / 1_000} s.`;
    const line = `(${NOT_STOPPED}) ${this.#named()} ${why} ${REMEDY}\n`;
    try {
      this.#process?.getBuiltinModule?.("node:fs").writeSync(2, line);
    } catch {
      // Nobody reads standard error any more.
    }
  }

  #named(): string {
    const names = [...new Set([...this.#running].map(({ name }) => describe(name)))];
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
    return `Limiters that were never stopped: ${names.slice(0, MOST_NAMED).join(", ")}${more}.`;
  }
}

const REMEDY = "Await stop() or drain() of each, then the store's close(), before the process ends.";

const ofProcess = new Unstopped(typeof process === "undefined" ? undefined : process, systemRuntime.setTimer);

/**
 * Where the running limiters of a store are kept. Undefined under a virtual runtime, whose end is not the process's,
 * and for stores in which nothing of a process outlives it.
 */
export function unstoppedOf(runtime: Runtime, { name, ledger }: StoreCapabilities): Unstopped | undefined {
  return runtime === systemRuntime && ledger && name !== "memory" ? ofProcess : undefined;
}

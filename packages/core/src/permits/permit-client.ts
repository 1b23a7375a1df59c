import type { Runtime } from "../runtime/runtime.ts";
import { withDeadline } from "../store/deadline.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { PermitRequest, Reservation } from "./permit-ledger.ts";

/** One key's permits at the store, every call with a deadline. */
export class PermitClient {
  readonly #settings: PacerSettings;
  readonly #pending = new Set<Promise<void>>();

  constructor(settings: PacerSettings) {
    this.#settings = settings;
  }

  get runtime(): Runtime {
    return this.#settings.runtime;
  }

  /** Asks for permits; rejects with what went wrong. */
  reserve(
    request: Pick<PermitRequest, "id" | "count" | "cost" | "maxReserved" | "queueMs">,
    signal?: AbortSignal,
  ): Promise<Reservation> {
    const { store, key, everyMs, burst, permitTtlMs, storeTimeoutMs } = this.#settings;
    const full = { ...request, everyMs, burst, keepMs: permitTtlMs + 2 * storeTimeoutMs };
    return this.#deadline("reserve", (abort) => store.reserve(key, full, abort), signal);
  }

  /** Gives instants back as well as can be: what the store does not learn of is wasted, never used twice. */
  release(id: string, keep: number): void {
    const { store, key } = this.#settings;
    const call = this.#deadline("release", (abort) => store.release(key, { id, keep }, abort)).catch(() => undefined);
    this.#pending.add(call);
    void call.then(() => this.#pending.delete(call));
  }

  /** Resolves when every release under way has settled. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Listens for instants given back; undefined where the store cannot push or does not answer. */
  async watch(onFreed: () => void): Promise<(() => void) | undefined> {
    const { store, key } = this.#settings;
    const watch = store.watchPermits?.bind(store);
    if (!watch) return undefined;
    return this.#deadline("watch", (signal) => watch(key, onFreed, signal)).catch(() => undefined);
  }

  #deadline<T>(operation: string, send: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { runtime, storeTimeoutMs } = this.#settings;
    return withDeadline(send, { runtime, timeoutMs: storeTimeoutMs, what: `permit ${operation}`, signal });
  }
}

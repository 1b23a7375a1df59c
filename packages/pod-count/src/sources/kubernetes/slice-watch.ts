import { DtError, isDtError, type Timer } from "@dt/core";
import type { MemberObserver } from "../../members/source.ts";
import { backoffMs, GRACE_MS } from "../backoff.ts";
import { ApiClient } from "./api-client.ts";
import { apiError, connectionError, Expired } from "./api-error.ts";
import { bookmarkVersion, EndpointSlices } from "./endpoint-slices.ts";
import type { KubernetesSettings } from "./options.ts";
import { type WatchEvent, watchEvents } from "./watch-events.ts";

/** How far the API server's watches may be behind its writes, and one pod's before another's. */
const PROPAGATION_MS = 1_000;
/** After so many failures in a row everything is listed again. */
const FAILURES_BEFORE_LIST = 3;
/** A watch that ends sooner, without a single event, was not served. */
const SHORTEST_WATCH_MS = 500;

const UNLISTED =
  "it must match the Service's selector; if its pod is listed under another name or address, set POD_NAME from metadata.name or POD_IP from status.podIP (or give self)";

/**
 * List, then watch from there, for ever. A dropped watch goes on from the last resource version; when the API server no
 * longer has that, everything is listed again. The state is known to be current when a list, an event or the proper end
 * of a watch has come: until then a silent connection may be a dead one.
 */
export class SliceWatch {
  readonly #settings: KubernetesSettings;
  readonly #observer: MemberObserver;
  readonly #client: ApiClient;
  readonly #slices = new EndpointSlices();
  readonly #over = new AbortController();
  #version: string | undefined;
  #currentAtMs = 0;
  #failures = 0;

  /** Begins at once. */
  constructor(settings: KubernetesSettings, observer: MemberObserver) {
    this.#settings = settings;
    this.#observer = observer;
    this.#client = new ApiClient(settings, observer.runtime);
    void this.#run();
  }

  close(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        if (this.#version === undefined) await this.#list();
        else await this.#watch(this.#version);
      } catch (error) {
        if (this.#over.signal.aborted) return;
        this.#failures += 1;
        // The version may be the trouble without the API server saying so: after a restore from a backup it is from the
        // future.
        if (error instanceof Expired || this.#failures >= FAILURES_BEFORE_LIST) this.#version = undefined;
        if (!(error instanceof Expired))
          this.#observer.failed(isDtError(error) ? error : connectionError(this.#settings.url, error));
        await this.#pause(backoffMs(this.#failures, this.#observer.runtime));
      }
    }
  }

  async #list(): Promise<void> {
    this.#version = this.#slices.replace(await this.#client.list(this.#over.signal));
    this.#current();
  }

  /** One watch, from its request to its end. */
  async #watch(version: string): Promise<void> {
    const { runtime } = this.#observer;
    const { confirmIntervalMs: confirmMs, timeoutMs } = this.#settings;
    const startMs = runtime.now();
    // After a drop, only the rest of the time: the state must be shown to be current before its answer is no longer
    // fresh.
    const seconds = Math.max(1, Math.round((this.#currentAtMs + confirmMs - startMs) / 1_000));
    const ending = new AbortController();
    const end = (): void => ending.abort();
    this.#over.signal.addEventListener("abort", end, { once: true });
    let timer: Timer | undefined;
    try {
      const response = await this.#client.watch(version, seconds, ending.signal);
      timer = runtime.setTimer(end, seconds * 1_000 + timeoutMs);
      let events = 0;
      for await (const event of watchEvents(response)) {
        this.#take(event);
        events += 1;
        this.#failures = 0;
      }
      if (events === 0 && runtime.now() - startMs < SHORTEST_WATCH_MS)
        throw new DtError("DT_STORE_UNAVAILABLE", `kubernetes: ${this.#settings.url.origin} ended a watch at once`);
      this.#current();
    } finally {
      timer?.cancel();
      this.#over.signal.removeEventListener("abort", end);
      ending.abort();
    }
  }

  #take({ type, object }: WatchEvent): void {
    switch (type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        this.#version = this.#slices.change(type, object);
        break;
      case "BOOKMARK":
        this.#version = bookmarkVersion(object);
        break;
      case "ERROR": {
        // Whatever it is, the version cannot be watched: list again.
        this.#version = undefined;
        const { code, message } = object as { readonly code?: unknown; readonly message?: unknown };
        throw apiError(Number(code), String(message ?? ""), this.#settings.namespace ?? "the pod's");
      }
      default:
        throw new DtError(
          "DT_STORE_REPLY",
          `kubernetes: a watch answered an event of the unknown type ${JSON.stringify(type.slice(0, 20))}`,
        );
    }
    this.#current();
  }

  /** Everything that happened until now has been heard. */
  #current(): void {
    const { own, confirmIntervalMs: confirmMs } = this.#settings;
    this.#failures = 0;
    this.#currentAtMs = this.#observer.runtime.now();
    const { names, self } = this.#slices.endpoints(own);
    const freshForMs = confirmMs + GRACE_MS;
    this.#observer.observed({ members: names, self, remedy: UNLISTED, freshForMs, lagMs: freshForMs + PROPAGATION_MS });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.#over.signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = this.#observer.runtime.setTimer(done, ms);
      this.#over.signal.addEventListener("abort", done, { once: true });
    });
  }
}

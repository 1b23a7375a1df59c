import type { Events } from "@dt/core/internal";
import { Callee } from "./callee.ts";
import type { HttpClientEvents } from "./events.ts";
import type { HttpClientSettings, OutgoingRequest } from "./options.ts";

/** The callees of one client, by name. */
export class Callees {
  readonly #settings: HttpClientSettings;
  readonly #events: Events<HttpClientEvents>;
  readonly #byName = new Map<string, Callee>();
  #stopped = false;

  constructor(settings: HttpClientSettings, events: Events<HttpClientEvents>) {
    this.#settings = settings;
    this.#events = events;
  }

  [Symbol.iterator](): Iterator<Callee> {
    return this.#byName.values();
  }

  of(request: OutgoingRequest): Callee {
    const { callee } = this.#settings;
    return this.named(callee ? callee(request) : request.origin);
  }

  named(name: string): Callee {
    const known = this.#byName.get(name);
    if (known) return known;
    if (this.#byName.size >= this.#settings.maxCallees) this.#forgetOne();
    const made = new Callee(name, this.#settings, this.#events);
    if (this.#stopped) void made.stop();
    this.#byName.set(name, made);
    return made;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#byName.values()].map((callee) => callee.stop()));
  }

  /**
   * The oldest of which there is nothing to remember. While all of them are in use there are more than `maxCallees`.
   */
  #forgetOne(): void {
    for (const [name, callee] of this.#byName)
      if (callee.idle) {
        this.#byName.delete(name);
        callee.forget();
        return;
      }
  }
}

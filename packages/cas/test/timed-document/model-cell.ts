import type { DocumentCell, Replaced, StoredDocument } from "@dt/cas";
import type { Runtime } from "@dt/core";
import type { VirtualRuntime } from "@dt/core/testing";

/** One value that can be compared and swapped, some virtual milliseconds away. */
export class ModelStore {
  readonly runtime: VirtualRuntime;
  readonly #latencyMs: number;
  readonly #tells: boolean;
  #value: { readonly text: string; readonly revision: number } | undefined;
  #revision = 0;
  #limit: ModelStore | undefined;
  reads = 0;
  writes = 0;
  lostRaces = 0;
  /** The next write takes effect, and its answer never comes. */
  losesAnswer = false;

  /** @param tells whether the answer to a write that came too late says what is there instead; otherwise a look does */
  constructor(runtime: VirtualRuntime, latencyMs: number, tells = true) {
    this.runtime = runtime;
    this.#latencyMs = latencyMs;
    this.#tells = tells;
  }

  /** Another value beside it, of the limit record. */
  get limit(): ModelStore {
    this.#limit ??= new ModelStore(this.runtime, this.#latencyMs);
    return this.#limit;
  }

  get text(): string | undefined {
    return this.#value?.text;
  }

  cell(): DocumentCell {
    return { name: "model", read: () => this.#read(), replace: (from, text) => this.#replace(from, text) };
  }

  /** What is there becomes something else, as if another program had written it. */
  spoil(change: (text: string) => string): void {
    this.#value = { text: change(this.#value?.text ?? ""), revision: ++this.#revision };
  }

  forget(): void {
    this.#value = undefined;
  }

  async #read(): Promise<StoredDocument | undefined> {
    this.reads += 1;
    await this.#travel();
    const found = this.#found();
    await this.#travel();
    return found;
  }

  async #replace(from: string | undefined, text: string): Promise<Replaced> {
    await this.#travel();
    const done = from === (this.#value && String(this.#value.revision));
    const revision = done ? ++this.#revision : 0;
    if (done) this.#value = { text, revision };
    const found = this.#found();
    const lost = done && this.losesAnswer;
    if (lost) this.losesAnswer = false;
    await this.#travel();
    if (lost) throw new Error("no answer");
    if (done) this.writes += 1;
    else this.lostRaces += 1;
    return done
      ? { done, revision: String(revision) }
      : { done, look: async () => (this.#tells ? found : this.#read()) };
  }

  #found(): StoredDocument | undefined {
    return this.#value && { text: this.#value.text, revision: String(this.#value.revision) };
  }

  #travel(): Promise<void> {
    const ms = this.#latencyMs * (0.25 + this.runtime.random() / 2);
    return new Promise((resolve) => this.runtime.setTimer(resolve, ms));
  }
}

/** The clock of a process: another origin, and up to some per mille fast or slow. */
export function hostRuntime(world: VirtualRuntime, offsetMs: number, rate = 1): Runtime {
  return {
    now: () => offsetMs + world.now() * rate,
    setTimer: (callback, delayMs) => world.setTimer(callback, delayMs / rate),
    random: () => world.random(),
  };
}

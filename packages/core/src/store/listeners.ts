import { DtError, isDtError } from "../errors/dt-error.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { Answer, Call } from "./call.ts";
import type { Calls } from "./calls.ts";

/** What has names that can be listed. */
export type NamedKind = "group" | "permits" | "budget" | "keyed";

/** What hints are about. */
export interface Topic {
  /** A group of members, or a key of permits. */
  readonly kind: "group" | "permits" | "slots";
  /** Of the group or the key. Hints of slots are for one member of a group. */
  readonly name: string;
  /** The one member that hints are for; absent where they are for all members. */
  readonly member?: string;
}

/** What the connection on which hints come reports to the store. */
export interface HintEvents {
  /**
   * A hint came. Hints of slots have a text: see `writeSlotHint` of core's ledger. That of a pause of a group is
   * `"pause"`.
   */
  readonly onHint: (topic: Topic, text?: string) => void;
  /** The connection is of no more use, and hints may have been missed. May be called more than once. */
  readonly onLost: () => void;
}

/** A connection on which hints come. */
export interface HintLink {
  /**
   * Resolves once listening. To listen to a topic twice, as two callers may at once, is to listen once: until
   * `unlisten` it is the same object.
   * @param topics what is listened to
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  listen(topics: readonly Topic[], call: Call): Answer<void>;
  /**
   * Ends the listening to a topic. Absent where hints that no caller waits for cost nothing.
   * @param topic what is listened to
   */
  unlisten?(topic: Topic): Answer<void>;
  /**
   * Rejects when the connection is dead. Called at intervals: a dead network reports nothing by itself.
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  check?(call: Call): Promise<void>;
  /** Ends this connection alone: the next one may be open by then. */
  close(): void;
}

/**
 * Opens a connection on which hints come. Where the call's signal aborts meanwhile, the function itself ends a
 * connection that it opened.
 */
export type Listen = (events: HintEvents, call: Call) => Answer<HintLink>;

const CHECK_EVERY_MS = 10_000;
/** Pause before a lost connection is opened again: doubled each time, halved at random at most. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/** A connection from its first moment on. */
interface Opening {
  readonly link: Promise<HintLink>;
  /** The topics that it listens to, by their keys: from the beginning all that there were then. */
  readonly listening: Set<string>;
  /** Aborted when it is not wanted any more, or lost. */
  readonly over: AbortController;
}

/** Called with the text of a hint; without one where hints may have been missed. */
type Callback = (text?: string) => void;

interface Heard {
  readonly topic: Topic;
  readonly callbacks: Set<Callback>;
}

/**
 * The callbacks that wait for hints, and the one connection on which these come: opened with the first callback, closed
 * with the last. When it is lost, it is opened again for as long as there are callbacks. Then every one of them is
 * called, because a hint may have been missed.
 */
export class Listeners {
  readonly #listen: Listen;
  readonly #calls: Calls;
  readonly #runtime: Runtime;
  readonly #heard = new Map<string, Heard>();
  #opening: Opening | undefined;
  /** Runs until the connection is opened again, or until it is checked. */
  #timer: Timer | undefined;
  #failures = 0;

  constructor(listen: Listen, calls: Calls, runtime: Runtime) {
    this.#listen = listen;
    this.#calls = calls;
    this.#runtime = runtime;
  }

  /** Resolves once listening, with the function that ends it. */
  async add(topic: Topic, onHint: Callback, call: Call): Promise<() => void> {
    const key = keyOf(topic);
    const heard = this.#heard.get(key) ?? { topic, callbacks: new Set() };
    this.#heard.set(key, heard);
    // A function of our own, so that the same callback may listen twice.
    const callback: Callback = (text) => onHint(text);
    heard.callbacks.add(callback);
    const stop = (): void => this.#stop(key, heard, callback);
    call.signal.addEventListener("abort", stop, { once: true });
    try {
      const { link, listening } = this.#connected();
      const opened = await link;
      // The object that the others of this topic were listened to by: a connection may tell topics apart by it.
      if (!listening.has(key)) await opened.listen([heard.topic], call);
      // Ended meanwhile, it is not listened to any more.
      if (this.#heard.get(key) === heard) listening.add(key);
      return stop;
    } catch (error) {
      stop();
      // The connection was given up, and not this call.
      throw isDtError(error, "DT_ABORTED") && !call.signal.aborted ? lost(call) : error;
    } finally {
      call.signal.removeEventListener("abort", stop);
    }
  }

  close(): void {
    this.#heard.clear();
    this.#disconnect();
  }

  #stop(key: string, heard: Heard, callback: Callback): void {
    if (!heard.callbacks.delete(callback) || heard.callbacks.size > 0) return;
    this.#heard.delete(key);
    if (this.#heard.size === 0) {
      this.#disconnect();
      this.#failures = 0;
      return;
    }
    this.#opening?.listening.delete(key);
    this.#opening?.link.then((link) => link.unlisten?.(heard.topic)).catch(() => {});
  }

  #connected(): Opening {
    if (this.#opening) return this.#opening;
    this.#timer?.cancel();
    const over = new AbortController();
    const listening = new Set<string>();
    const link = (async () => this.#calls.run("onHint", over.signal, (call) => this.#open(over, listening, call)))();
    const opening = { link, listening, over };
    this.#opening = opening;
    link.then(
      (opened) => this.#established(opened, over),
      () => this.#lost(over),
    );
    return opening;
  }

  async #open(over: AbortController, listening: Set<string>, call: Call): Promise<HintLink> {
    const onHint = (topic: Topic, text?: string): void => this.#notify(this.#heard.get(keyOf(topic)), text);
    const link = await this.#listen({ onHint, onLost: () => this.#lost(over) }, call);
    over.signal.addEventListener("abort", () => link.close(), { once: true });
    if (over.signal.aborted) link.close();
    over.signal.throwIfAborted();
    const heard = [...this.#heard];
    await link.listen(
      heard.map(([, { topic }]) => topic),
      call,
    );
    for (const [key, entry] of heard) if (this.#heard.get(key) === entry) listening.add(key);
    return link;
  }

  #established(link: HintLink, over: AbortController): void {
    if (over.signal.aborted) return;
    if (this.#failures > 0) for (const heard of this.#heard.values()) this.#notify(heard);
    this.#failures = 0;
    this.#checkLater(link, over);
  }

  #lost(over: AbortController): void {
    if (over.signal.aborted) return;
    this.#disconnect();
    if (this.#heard.size === 0) return;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10), LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#timer = this.#later(() => this.#connected(), pauseMs * (0.5 + this.#runtime.random() / 2));
  }

  #disconnect(): void {
    this.#timer?.cancel();
    this.#opening?.over.abort();
    this.#opening = undefined;
  }

  #checkLater(link: HintLink, over: AbortController): void {
    if (!link.check) return;
    const check = async (): Promise<void> => {
      try {
        await this.#calls.run("onHint", over.signal, async (call) => link.check?.(call));
        if (!over.signal.aborted) this.#checkLater(link, over);
      } catch {
        this.#lost(over);
      }
    };
    this.#timer = this.#later(() => void check(), CHECK_EVERY_MS);
  }

  #later(callback: () => void, delayMs: number): Timer {
    return this.#runtime.setTimer(callback, delayMs, { keepAlive: false });
  }

  /** Calls back after the present work is done, never within it. */
  #notify(heard: Heard | undefined, text?: string): void {
    for (const callback of heard?.callbacks ?? [])
      queueMicrotask(() => {
        if (heard?.callbacks.has(callback)) callback(text);
      });
  }
}

function lost({ what }: Call): DtError {
  return new DtError("DT_STORE_UNAVAILABLE", `${what} failed: the connection on which hints come was lost`);
}

function keyOf({ kind, name, member }: Topic): string {
  return member === undefined ? `${kind} ${name}` : `${kind} ${name}\0${member}`;
}

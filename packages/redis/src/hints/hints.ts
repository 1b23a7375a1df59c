import type { Runtime, Timer } from "@dt/core";
import type { Push } from "../client/connection.ts";
import type { Keys } from "../keys.ts";
import { channelOf, type Listener, newSecret, type Topic } from "./topic.ts";

/**
 * How often it is asked whether channels are still called what they were: it finds a secret that was lost alone, and
 * keeps the server from forgetting one.
 */
const CHECK_EVERY_MS = 10_000;
/**
 * Each topic's turn comes after so many checks at most, so that many topics do not cost much: one of each 30 is asked
 * for in 10 s.
 */
const CHECKS_A_ROUND = 30;
/** How long the server keeps a secret that nobody asks for: three rounds of checks. */
export const SECRET_KEPT_MS = 3 * CHECKS_A_ROUND * CHECK_EVERY_MS;

/** Asks the server for the secret of a topic, which is to be `ours` where there is none. */
export type Ask = (where: Keys, ours: string) => Promise<string>;

/**
 * Listens for hints on channels of which the name has a secret in it. Where data was lost, the first one who asks again
 * brings back the secret that it knew, so that all others listen on; where somebody else made another one, listeners
 * move to that channel.
 */
export class Hints {
  readonly #push: Push;
  readonly #ask: Ask;
  readonly #runtime: Runtime;
  /** By what the names of their channels begin with. The one that was asked for longest ago comes first. */
  readonly #topics = new Map<string, Topic>();
  readonly #closed = new AbortController();
  #timer: Timer | undefined;

  /** @param ask with a deadline of its own, for what nobody waits for */
  constructor(push: Push, ask: Ask, runtime: Runtime) {
    this.#push = push;
    this.#ask = ask;
    this.#runtime = runtime;
    push.onAgain = () => this.#again();
  }

  /**
   * Resolves when listening, with a function that ends it.
   * @param ask the same for this call, which ends by its signal
   */
  async watch(where: Keys, onHint: () => void, ask: Ask, signal: AbortSignal): Promise<() => void> {
    const topic = this.#topics.get(where.channel) ?? {
      where,
      listeners: new Set(),
      secret: undefined,
      asking: undefined,
      unsure: false,
    };
    this.#topics.set(where.channel, topic);
    const listener: Listener = { onHint: () => onHint(), secret: undefined, end: () => {} };
    topic.listeners.add(listener);
    const stop = (): void => this.#stop(topic, listener);
    signal.addEventListener("abort", stop, { once: true });
    try {
      await this.#learn(topic, ask);
      this.#closed.signal.throwIfAborted();
      await this.#follow(topic, listener, signal);
      if (this.#topics.size > 0) this.#timer ??= this.#checkLater();
      return stop;
    } catch (error) {
      stop();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** The server may have lost its data: the secret is made sure of, without waiting for the next check. */
  lost(where: Keys): void {
    const topic = this.#topics.get(where.channel);
    if (topic) void this.#renew(topic);
  }

  close(): void {
    this.#closed.abort();
    this.#timer?.cancel();
    this.#topics.clear();
    this.#push.close();
  }

  #stop(topic: Topic, listener: Listener): void {
    if (!topic.listeners.delete(listener)) return;
    listener.end();
    if (topic.listeners.size > 0) return;
    this.#topics.delete(topic.where.channel);
    if (this.#topics.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** A subscription was lost and made again, perhaps because the server was started anew, perhaps without its data. */
  #again(): void {
    for (const topic of this.#topics.values()) void this.#renew(topic).then(() => tell(topic));
  }

  #checkLater(): Timer {
    const check = (): void => {
      const due = Math.ceil(this.#topics.size / CHECKS_A_ROUND);
      for (const [i, [name, topic]] of [...this.#topics].entries()) {
        if (i >= due && !topic.unsure) continue;
        this.#topics.delete(name);
        this.#topics.set(name, topic);
        void this.#renew(topic);
      }
      this.#timer = this.#checkLater();
    };
    return this.#runtime.setTimer(check, CHECK_EVERY_MS, { keepAlive: false });
  }

  /** Never rejects: what fails is tried again with the next check. */
  async #renew(topic: Topic): Promise<void> {
    try {
      const known = topic.secret;
      topic.secret = await this.#ask(topic.where, known ?? newSecret());
      await Promise.all([...topic.listeners].map((listener) => this.#follow(topic, listener, this.#closed.signal)));
      topic.unsure = false;
      // What was said on the new channel until now was not heard.
      if (topic.secret !== known) tell(topic);
    } catch {
      topic.unsure = true;
    }
  }

  /** Asks for the secret unless it is known. When many begin to listen at once, one of them asks. */
  async #learn(topic: Topic, ask: Ask): Promise<void> {
    while (topic.asking) await topic.asking.catch(() => {});
    if (topic.secret !== undefined) return;
    const asking = ask(topic.where, newSecret());
    topic.asking = asking;
    try {
      topic.secret = await asking;
    } finally {
      if (topic.asking === asking) topic.asking = undefined;
    }
  }

  /** Makes a listener listen to the channel that its topic is on. */
  async #follow(topic: Topic, listener: Listener, signal: AbortSignal): Promise<void> {
    while (topic.secret !== undefined && listener.secret !== topic.secret && topic.listeners.has(listener)) {
      const { secret } = topic;
      const end = await this.#push.listen(channelOf(topic.where, secret), listener.onHint, signal);
      // Meanwhile it may have stopped, or somebody else may have moved it.
      if (!topic.listeners.has(listener) || listener.secret === secret) end();
      else {
        listener.end();
        listener.end = end;
        listener.secret = secret;
      }
    }
  }
}

function tell(topic: Topic): void {
  for (const { onHint } of topic.listeners) queueMicrotask(onHint);
}

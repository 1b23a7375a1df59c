// biome-ignore lint/style/noRestrictedImports: for a secret, see newSecret
import { randomBytes } from "node:crypto";
import type { Runtime } from "@dt/core";
import { withDeadline } from "@dt/core/ledger";
import type { Call, HintEvents, HintLink, Listen, Topic } from "@dt/core/store";
import type { Channels, OpenChannels } from "./client/connection.ts";
import { groupKeys, type Keys, permitKeys } from "./keys.ts";
import { unexpectedReply } from "./reply/field.ts";
import { scripts } from "./script/scripts.ts";
import type { Sender } from "./script/sender.ts";
import { memberChannel, provenText } from "./slot-hint.ts";

/** The store checks its connection so often. */
const CHECK_EVERY_MS = 10_000;
/**
 * Each topic is asked for after so many checks at most, so that many topics do not cost much: one of each 30 in 10 s.
 * That finds a secret that was lost alone, and keeps the server from forgetting one.
 */
const CHECKS_A_ROUND = 30;
/** How long the server keeps a secret that nobody asks for: three rounds of checks. */
const SECRET_KEPT_MS = 3 * CHECKS_A_ROUND * CHECK_EVERY_MS;

/** How hints are asked for. */
export interface HintsSettings {
  readonly prefix: string;
  readonly sender: Sender;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
}

/** A topic that is listened to, on a connection. */
interface Followed {
  readonly topic: Topic;
  /** The channel that is listened to; undefined before there is one. */
  channel: string | undefined;
  /** The server was to be asked for the secret, and did not answer. */
  unsure: boolean;
}

/**
 * Hints come on channels of which the name has a secret in it. Where data was lost, the first process that asks again
 * brings back the secret that it knew, so that all others listen on; where another process made another one, this one
 * moves to that channel.
 */
export class Hints {
  readonly #open: OpenChannels;
  readonly #settings: HintsSettings;
  /** By {@link ownerOf}; they outlive the connection on which hints come. */
  readonly #secrets = new Map<string, string>();
  /** Questions for secrets that callers wait for. */
  readonly #asked = new Map<string, Promise<unknown>>();
  #link: Link | undefined;

  constructor(open: OpenChannels, settings: HintsSettings) {
    this.#open = open;
    this.#settings = settings;
  }

  readonly listen: Listen = async (events, call) => {
    const link = new Link(this, events);
    await link.open(this.#open, call.signal);
    this.#link = link;
    return link;
  };

  /** The server may have lost its data: the secret is made sure of, without waiting for the next check. */
  mayBeLost(topic: Topic): void {
    this.#link?.mayBeLost(topic);
  }

  whereIs({ kind, name }: Topic): Keys {
    return (kind === "permits" ? permitKeys : groupKeys)(this.#settings.prefix, name);
  }

  /** The channel of a topic as far as its secret is known. */
  channelOf(topic: Topic): string | undefined {
    const secret = this.#secrets.get(ownerOf(topic));
    return secret === undefined ? undefined : channelOf(this.whereIs(topic), secret, topic.member);
  }

  /** The text of a hint for one member, or undefined where one sent it who does not know the secret. */
  textOf(topic: Topic, message: string): string | undefined {
    const secret = this.#secrets.get(ownerOf(topic));
    return secret === undefined ? undefined : provenText(message, secret, topic.member ?? "");
  }

  /** Of one topic, or of all. */
  forget(topic?: Topic): void {
    if (topic) this.#secrets.delete(ownerOf(topic));
    else this.#secrets.clear();
  }

  /** Asks for the secret unless it is known. When many begin to listen at once, one of them asks. */
  async learn(topic: Topic, call: Call): Promise<void> {
    const key = ownerOf(topic);
    for (let other = this.#asked.get(key); other; other = this.#asked.get(key)) await other.catch(() => {});
    call.signal.throwIfAborted();
    if (this.#secrets.has(key)) return;
    const asking = this.#ask(topic, call);
    this.#asked.set(key, asking);
    try {
      await asking;
    } finally {
      if (this.#asked.get(key) === asking) this.#asked.delete(key);
    }
  }

  /** Asks for the secret with a deadline of its own; `over` ends it. */
  askAgain(topic: Topic, over: AbortSignal): Promise<void> {
    const { runtime, timeoutMs } = this.#settings;
    const untilMs = runtime.now() + timeoutMs;
    const what = "redis onHint";
    return withDeadline((signal) => this.#ask(topic, { what, signal, untilMs, sent: false }), {
      ...{ runtime, timeoutMs, what, signal: over },
    });
  }

  /** The secret of a topic is to be what is known here where the server has none. */
  async #ask(topic: Topic, call: Call): Promise<void> {
    const key = ownerOf(topic);
    const { hints, channel } = this.whereIs(topic);
    const args = [this.#secrets.get(key) ?? newSecret(), String(SECRET_KEPT_MS)];
    const reply = await this.#settings.sender.send({ script: scripts.channel, keys: [hints], channel, args }, call);
    call.signal.throwIfAborted();
    if (typeof reply !== "string" || !/^\w+$/.test(reply)) throw unexpectedReply(reply, "a secret");
    this.#secrets.set(key, reply);
  }
}

/** A connection on which hints come. */
class Link implements HintLink {
  readonly #hints: Hints;
  readonly #events: HintEvents;
  #channels: Channels | undefined;
  /** It is closed because nobody listens, unless something failed. */
  #failed = false;
  /** By {@link keyOf}. The topic that was asked for longest ago comes first. */
  readonly #followed = new Map<string, Followed>();
  readonly #byChannel = new Map<string, Followed>();
  readonly #over = new AbortController();

  constructor(hints: Hints, events: HintEvents) {
    this.#hints = hints;
    this.#events = events;
  }

  async open(open: OpenChannels, signal: AbortSignal): Promise<void> {
    const onMessage = (channel: string, message?: string): void => {
      const topic = this.#byChannel.get(channel)?.topic;
      if (!topic) return;
      // A client handed in may leave the content out. One who sends hints of a pause that is none causes early syncs.
      const isProven = topic.member !== undefined && message !== undefined;
      const text = isProven ? this.#hints.textOf(topic, message) : message || undefined;
      if (!isProven || text !== undefined) this.#events.onHint(topic, text);
    };
    const onLost = (): void => {
      this.#failed = true;
      this.#events.onLost();
    };
    this.#channels = await open({ onMessage, onLost }, signal);
  }

  async listen(topics: readonly Topic[], call: Call): Promise<void> {
    const isKnown = (topic: Topic): boolean => this.#hints.channelOf(topic) !== undefined;
    const known = topics.filter((topic) => isKnown(topic) && this.#followedBeside(topic).length === 0);
    try {
      await Promise.all(topics.map((topic) => this.#hints.learn(topic, call)));
      this.#over.signal.throwIfAborted();
      await this.#follow(topics.map((topic) => this.#followedOf(topic)));
    } catch (error) {
      this.#failed = true;
      throw error;
    }
    // What was known before this connection may be lost since.
    for (const topic of known) void this.#renew(this.#followedOf(topic));
  }

  unlisten(topic: Topic): void {
    const followed = this.#followed.get(keyOf(topic));
    this.#followed.delete(keyOf(topic));
    if (this.#followedBeside(topic).length === 0) this.#hints.forget(topic);
    if (followed?.channel !== undefined) this.#leave(followed.channel, followed);
  }

  async check(): Promise<void> {
    const due = Math.ceil(this.#followed.size / CHECKS_A_ROUND);
    for (const [i, [key, followed]] of [...this.#followed].entries()) {
      if (i >= due && !followed.unsure) continue;
      this.#followed.delete(key);
      this.#followed.set(key, followed);
      void this.#renew(followed);
    }
    try {
      await this.#channels?.ping();
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  mayBeLost(topic: Topic): void {
    for (const followed of this.#followedBeside(topic)) void this.#renew(followed);
  }

  close(): void {
    this.#over.abort();
    // The secrets that are known are brought back after a loss.
    if (!this.#failed) this.#hints.forget();
    this.#channels?.close();
  }

  /** The topics that have the same secret. */
  #followedBeside(topic: Topic): readonly Followed[] {
    const owner = ownerOf(topic);
    return [...this.#followed.values()].filter((followed) => ownerOf(followed.topic) === owner);
  }

  #followedOf(topic: Topic): Followed {
    const key = keyOf(topic);
    const followed = this.#followed.get(key) ?? { topic, channel: undefined, unsure: false };
    this.#followed.set(key, followed);
    return followed;
  }

  /** Never rejects: what fails is tried again with the next check. */
  async #renew(followed: Followed): Promise<void> {
    const { topic } = followed;
    try {
      await this.#hints.askAgain(topic, this.#over.signal);
      const before = followed.channel;
      await this.#follow([followed]);
      followed.unsure = false;
      // What was said on the new channel until now was not heard.
      if (followed.channel !== before) this.#events.onHint(topic);
    } catch {
      followed.unsure = true;
    }
  }

  /** Listens to the channels that topics are on now, and no more to those on which they were. */
  async #follow(all: readonly Followed[]): Promise<void> {
    const moves = all.flatMap((followed) => {
      const channel = this.#hints.channelOf(followed.topic);
      return channel === undefined || channel === followed.channel ? [] : [{ followed, channel }];
    });
    if (moves.length === 0) return;
    for (const { followed, channel } of moves) this.#byChannel.set(channel, followed);
    await this.#channels?.subscribe(moves.map(({ channel }) => channel));
    for (const { followed, channel } of moves) {
      const before = followed.channel;
      followed.channel = channel;
      if (before !== undefined && before !== channel) this.#leave(before, followed);
      // Meanwhile its callers listen no more.
      if (this.#followed.get(keyOf(followed.topic)) !== followed) this.#leave(channel, followed);
    }
  }

  /** Not a channel that the next callers of the same topic have begun to listen to. */
  #leave(channel: string, followed: Followed): void {
    if (this.#byChannel.get(channel) !== followed) return;
    this.#byChannel.delete(channel);
    this.#channels?.unsubscribe(channel).catch(() => {});
  }
}

function keyOf(topic: Topic): string {
  return topic.member === undefined ? ownerOf(topic) : `${ownerOf(topic)}\0${topic.member}`;
}

/** What has the secret: the members of a group have none of their own. */
function ownerOf({ kind, name }: Topic): string {
  return `${kind === "permits" ? kind : "group"} ${name}`;
}

/**
 * 128 bits. Not of the runtime's randomness, from which member ids come that may stand in logs: whoever has seen
 * enough of what `Math.random` gives can foresee the rest. Nothing but a name depends on it.
 */
function newSecret(): string {
  return randomBytes(16).toString("hex");
}

/**
 * The name of the channel that a topic is on.
 * @param member the one that hints of slots are for
 */
export function channelOf({ channel }: Pick<Keys, "channel">, secret: string, member?: string): string {
  return `${channel}:${member === undefined ? secret : memberChannel(secret, member)}`;
}

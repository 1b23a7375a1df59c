import type { Runtime, Timer } from "@dt/core";
import { invalidOption } from "@dt/core/internal";
import { SignalError } from "../errors.ts";
import type { ThrottlingReason } from "../protocol/reason.ts";
import { Limiter } from "./limiter.ts";
import { checkQuota, type ServerSettings } from "./options.ts";

/** Which limit was reached, as metrics name it. */
export type LimiterName = "topic" | "resource-group" | "pending-messages" | "message-buffer" | "broker";

/** The name of the limiter that a reason comes from. */
export const LIMITER_OF: Readonly<Record<ThrottlingReason, LimiterName>> = {
  TopicProduceQuotaExceeded: "topic",
  ResourceGroupProduceQuotaExceeded: "resource-group",
  ConnectionPendingMessagesBreach: "pending-messages",
  MessageBufferSizeBreach: "message-buffer",
  BrokerProduceQuotaExceeded: "broker",
};

/** What one topic may take: its own quota, and that of its group. */
export class TopicLimits {
  readonly #topic: Limiter;
  readonly #group: Limiter | undefined;

  constructor(topic: Limiter, group: Limiter | undefined) {
    this.#topic = topic;
    this.#group = group;
  }

  take(bytes: number, nowMs: number): void {
    this.#topic.take(bytes, nowMs);
    this.#group?.take(bytes, nowMs);
  }

  /** Why nothing more may come at a time, now or later; undefined when something may. */
  exhausted(atMs: number): ThrottlingReason | undefined {
    if (this.#topic.exhausted(atMs)) return "TopicProduceQuotaExceeded";
    return this.#group?.exhausted(atMs) ? "ResourceGroupProduceQuotaExceeded" : undefined;
  }

  /** When the topic's own buckets are full again. */
  fullAtMs(nowMs: number): number {
    return this.#topic.filledAtMs(1, nowMs);
  }
}

/** A topic that has producers, or is not full again since it had some. */
interface Known {
  readonly limits: TopicLimits;
  producers: number;
  /** Looks whether it is full again, while it has no producer. */
  look: Timer | undefined;
}

/**
 * The limits of all topics that have producers, or whose quota is not full again since they had some: a debt outlives
 * producers and connections, and only what is as good as new is forgotten.
 */
export class LimitsOfTopics {
  readonly #settings: ServerSettings;
  readonly #runtime: Runtime;
  readonly #topics = new Map<string, Known>();
  readonly #groups = new Map<string, Limiter>();
  /** Topics without a producer. */
  #closed = 0;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.#runtime = settings.runtime;
  }

  /** Topics that are remembered. */
  get size(): number {
    return this.#topics.size;
  }

  /**
   * The limits of a topic, for one more producer.
   * @throws DtError `DT_INVALID_OPTION` when the topic's quota is not one, or names a group that there is not;
   *   `DT_REFUSED` when too many others are remembered
   */
  open(topic: string): TopicLimits {
    const known = this.#topics.get(topic) ?? this.#learn(topic);
    if (known.look !== undefined) {
      known.look.cancel();
      known.look = undefined;
      this.#closed -= 1;
    }
    known.producers += 1;
    return known.limits;
  }

  /** One producer less. */
  close(topic: string): void {
    const known = this.#topics.get(topic);
    if (known === undefined) return;
    known.producers -= 1;
    if (known.producers > 0) return;
    this.#closed += 1;
    this.#forgetWhenFull(topic, known);
  }

  #learn(topic: string): Known {
    const { maxClosedTopics } = this.#settings;
    if (this.#closed >= maxClosedTopics)
      throw new SignalError(
        "DT_REFUSED",
        `${maxClosedTopics} topics have no producer, and their quotas are not full again; try again later, or raise the server's maxClosedTopics`,
      );
    const known = { limits: this.#make(topic), producers: 0, look: undefined };
    this.#topics.set(topic, known);
    return known;
  }

  #forgetWhenFull(topic: string, known: Known): void {
    const nowMs = this.#runtime.now();
    const inMs = known.limits.fullAtMs(nowMs) - nowMs;
    if (inMs > 0) {
      known.look = this.#runtime.setTimer(() => this.#forgetWhenFull(topic, known), inMs, { keepAlive: false });
      return;
    }
    this.#closed -= 1;
    this.#topics.delete(topic);
  }

  #make(topic: string): TopicLimits {
    const quota = checkQuota("topicQuota", this.#settings.topicQuota(topic) ?? {});
    const nowMs = this.#runtime.now();
    return new TopicLimits(new Limiter(quota, nowMs), this.#group(quota.resourceGroup, nowMs));
  }

  #group(name: string | undefined, nowMs: number): Limiter | undefined {
    if (name === undefined) return undefined;
    const quota = this.#settings.resourceGroups.get(name);
    if (quota === undefined) throw invalidOption("topicQuota.resourceGroup", name, "name one of resourceGroups");
    const group = this.#groups.get(name) ?? new Limiter(quota, nowMs);
    this.#groups.set(name, group);
    return group;
  }
}

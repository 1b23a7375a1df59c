import type { Runtime } from "@dt/core";
import { invalidOption } from "@dt/core/kit";
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

/** The limits of all topics that have producers, or had some until a moment ago. */
export class LimitsOfTopics {
  readonly #settings: ServerSettings;
  readonly #runtime: Runtime;
  readonly #topics = new Map<string, { readonly limits: TopicLimits; users: number }>();
  readonly #groups = new Map<string, Limiter>();

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.#runtime = settings.runtime;
  }

  /**
   * The limits of a topic, for one more producer.
   * @throws DtError `DT_INVALID_OPTION` when the topic's quota is not one, or names a group that there is not
   */
  open(topic: string): TopicLimits {
    const known = this.#topics.get(topic) ?? { limits: this.#make(topic), users: 0 };
    known.users += 1;
    this.#topics.set(topic, known);
    return known.limits;
  }

  /**
   * One producer less. A topic without any is forgotten once its debts are paid: nobody escapes them by coming again.
   */
  close(topic: string): void {
    const known = this.#topics.get(topic);
    if (known === undefined) return;
    known.users -= 1;
    if (known.users > 0) return;
    const nowMs = this.#runtime.now();
    const forget = (): void => {
      if (known.users === 0 && this.#topics.get(topic) === known) this.#topics.delete(topic);
    };
    this.#runtime.setTimer(forget, known.limits.fullAtMs(nowMs) - nowMs, { keepAlive: false });
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

import { invalidOption } from "@dt/core/internal";
import { crc32c } from "../protocol/crc32c.ts";
import type { SendOptions } from "./options.ts";
import type { Receipt } from "./outgoing.ts";
import type { Producer, Throttled } from "./producer.ts";

/**
 * The name of one partition of a topic.
 * @param topic the topic's name
 * @param partition the partition's number, from 0
 * @example partitionName("orders", 2); // "orders-partition-2"
 */
export function partitionName(topic: string, partition: number): string {
  return `${topic}-partition-${partition}`;
}

/**
 * Sends to the partitions of a topic: those with a key to the key's own, the others one after the other. Made by
 * {@link SignalClient.createPartitionedProducer}.
 */
export class PartitionedProducer {
  /** The topic's name, without a partition. */
  readonly topic: string;
  /** The producers of the partitions, in order. */
  readonly partitions: readonly Producer[];
  #next = 0;

  constructor(topic: string, partitions: readonly Producer[]) {
    if (partitions.length === 0) throw invalidOption("partitions", 0, "give at least one");
    this.topic = topic;
    this.partitions = partitions;
  }

  /** True when any partition is throttled. */
  isThrottled(): boolean {
    return this.partitions.some((producer) => producer.isThrottled());
  }

  /** How the partition is throttled that will be so for longest; undefined when none is. */
  throttle(): Throttled | undefined {
    const all = this.partitions.flatMap((producer) => producer.throttle() ?? []);
    return all.reduce<Throttled | undefined>((a, b) => (a && a.remainingMs >= b.remainingMs ? a : b), undefined);
  }

  /**
   * Sends a message. Without a key it goes to the next partition that is not throttled; when all of them are, to the
   * one that may send first.
   * @param payload the message's bytes
   * @param options the key, and how the call waits
   * @throws as {@link Producer.send}
   */
  send(payload: Uint8Array | string, options: SendOptions = {}): Promise<Receipt> {
    const producer = options?.key === undefined ? this.#inTurn() : this.#ofKey(options.key);
    return producer.send(payload, options);
  }

  /** Closes the producers of all partitions. May be called again. */
  async close(): Promise<void> {
    await Promise.all(this.partitions.map((producer) => producer.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #ofKey(key: string): Producer {
    return this.#at(crc32c(Buffer.from(String(key))) % this.partitions.length);
  }

  #inTurn(): Producer {
    const first = this.#next;
    let best = this.#at(first);
    for (let i = 0; i < this.partitions.length; i++) {
      const place = (first + i) % this.partitions.length;
      const producer = this.#at(place);
      const throttled = producer.throttle();
      if (throttled === undefined) {
        this.#next = (place + 1) % this.partitions.length;
        return producer;
      }
      if (throttled.remainingMs < (best.throttle()?.remainingMs ?? 0)) best = producer;
    }
    this.#next = (first + 1) % this.partitions.length;
    return best;
  }

  #at(place: number): Producer {
    return this.partitions[place] as Producer;
  }
}

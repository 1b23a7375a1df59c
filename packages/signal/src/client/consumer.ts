import { DtError } from "@dt/core";
import { Fifo } from "@dt/core/internal";
import type { Commands } from "../protocol/commands.ts";
import type { Body } from "../protocol/frame.ts";
import type { Link } from "./link.ts";

/** A message of a topic. */
export interface Message {
  /** The message's place in its topic. */
  readonly messageId: number;
  /** The message's bytes. */
  readonly payload: Uint8Array;
  /** The message's key; undefined where it has none. */
  readonly key: string | undefined;
}

interface Waiter {
  readonly resolve: (message: Message) => void;
  readonly reject: (error: Error) => void;
}

/** Messages of one topic, in order. No more come than were asked for. Made by {@link SignalClient.subscribe}. */
export class Consumer {
  /** The topic that it reads. */
  readonly topic: string;
  /** Its number on the connection. */
  readonly id: number;
  readonly #left: () => void;
  /** How many messages may wait here. */
  readonly #room: number;
  readonly #messages = new Fifo<Message>();
  readonly #waiting = new Fifo<Waiter>();
  #link: Link | undefined;
  #from: number | undefined;
  /** Messages taken since the server was last told that there is room. */
  #taken = 0;
  #ended: Error | undefined;

  constructor(id: number, topic: string, from: number | undefined, room: number, left: () => void) {
    this.id = id;
    this.topic = topic;
    this.#from = from;
    this.#room = room;
    this.#left = left;
  }

  /**
   * The next message, as soon as there is one.
   * @throws DtError `DT_STOPPED` when the consumer is closed
   */
  receive(): Promise<Message> {
    const message = this.#messages.shift();
    if (message) {
      this.#granted();
      return Promise.resolve(message);
    }
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Messages until the consumer is closed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, void> {
    while (!this.#ended || this.#messages.size > 0) {
      const message = await this.receive().catch((error: Error) => {
        if (this.#ended === error) return undefined;
        throw error;
      });
      if (message === undefined) return;
      yield message;
    }
  }

  /** Ends it. May be called again. */
  async close(): Promise<void> {
    if (this.#ended) return;
    const link = this.#link;
    this.end(new DtError("DT_STOPPED", `the consumer of ${this.topic} is closed`));
    await link
      ?.request((requestId) => ({ type: "closeConsumer", requestId, consumerId: this.id }))
      .catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * For the client: subscribes on a new connection, after the last message that came.
   * @param link the connection from now on
   */
  async attach(link: Link): Promise<void> {
    const { id: consumerId, topic } = this;
    const from = this.#from === undefined ? {} : { fromMessageId: this.#from };
    await link.request((requestId) => ({ type: "subscribe", requestId, consumerId, topic, ...from }));
    if (this.#ended) return;
    this.#link = link;
    this.#taken = 0;
    const permits = this.#room - this.#messages.size;
    if (permits > 0) link.send({ type: "flow", consumerId, permits });
  }

  /** For the client. */
  detach(): void {
    this.#link = undefined;
  }

  /**
   * For the client: a message came.
   * @param options the frame that came
   */
  arrived({ messageId }: Commands["message"], { payload, metadata }: Body): void {
    // What the server sends without being asked for is not kept.
    if (this.#ended || this.#messages.size >= this.#room) return;
    this.#from = messageId + 1;
    // A copy: the view would keep the whole chunk that it came in.
    const message = { messageId, payload: Buffer.from(payload), key: metadata.key };
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#messages.push(message);
    else {
      this.#granted();
      waiter.resolve(message);
    }
  }

  /**
   * For the client.
   * @param error why
   */
  end(error: Error): void {
    if (this.#ended) return;
    this.#ended = error;
    for (const { reject } of this.#waiting.drain()) reject(error);
    this.#left();
  }

  /** Half of the room at a time: one request for many messages. */
  #granted(): void {
    this.#taken += 1;
    if (this.#taken < this.#room / 2) return;
    this.#link?.send({ type: "flow", consumerId: this.id, permits: this.#taken });
    this.#taken = 0;
  }
}

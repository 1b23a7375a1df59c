import { checkName } from "@dt/core/internal";
import { protocolError, SignalError } from "../errors.ts";
import type { Commands } from "../protocol/commands.ts";
import type { ConnectionHome } from "./connection-home.ts";
import type { Cursor } from "./handler.ts";
import { messageOf } from "./producers.ts";

interface Consumer {
  readonly id: number;
  readonly cursor: Cursor;
  /** Messages that the client takes yet. */
  permits: number;
}

/** The consumers of one connection. Nothing is written ahead of what a client has asked for and reads. */
export class Consumers {
  readonly #home: ConnectionHome;
  readonly #consumers = new Map<number, Consumer>();

  constructor(home: ConnectionHome) {
    this.#home = home;
  }

  /** @throws DtError `DT_PROTOCOL` when the id is in use */
  open({ requestId, consumerId, topic, fromMessageId }: Commands["subscribe"]): void {
    const { settings, send } = this.#home;
    const { handler, maxProducers } = settings;
    if (this.#consumers.has(consumerId)) throw protocolError(`the client made a consumer ${consumerId} twice`);
    try {
      if (handler.subscribe === undefined) throw new SignalError("DT_REFUSED", "this server has no consumers");
      if (this.#consumers.size >= maxProducers)
        throw new SignalError("DT_REFUSED", `a connection has at most ${maxProducers} consumers`);
      const wake = (): void => this.#deliver(this.#consumers.get(consumerId));
      const cursor = handler.subscribe(checkName("topic", topic), fromMessageId, wake);
      this.#consumers.set(consumerId, { id: consumerId, cursor, permits: 0 });
      send({ type: "success", requestId });
    } catch (error) {
      send({ type: "error", requestId, message: messageOf(error) });
    }
  }

  flow({ consumerId, permits }: Commands["flow"]): void {
    const consumer = this.#known(consumerId);
    consumer.permits = Math.min(consumer.permits + permits, Number.MAX_SAFE_INTEGER);
    this.#deliver(consumer);
  }

  close({ requestId, consumerId }: Commands["closeConsumer"]): void {
    this.#known(consumerId).cursor.close();
    this.#consumers.delete(consumerId);
    this.#home.send({ type: "success", requestId });
  }

  /** The client has read what was written. */
  drained(): void {
    for (const consumer of this.#consumers.values()) this.#deliver(consumer);
  }

  end(): void {
    for (const { cursor } of this.#consumers.values()) cursor.close();
    this.#consumers.clear();
  }

  #known(id: number): Consumer {
    const consumer = this.#consumers.get(id);
    if (consumer === undefined) throw protocolError(`the client named a consumer ${id} that it has not made`);
    return consumer;
  }

  #deliver(consumer: Consumer | undefined): void {
    const { send, full } = this.#home;
    while (consumer && consumer.permits > 0 && !full()) {
      const stored = consumer.cursor.next();
      if (stored === undefined) return;
      const { messageId, payload, key } = stored;
      consumer.permits -= 1;
      send(
        { type: "message", consumerId: consumer.id, messageId },
        { payload, metadata: key === undefined ? {} : { key } },
      );
    }
  }
}

import { checkName } from "@dt/core/internal";
import { protocolError, SignalError } from "../errors.ts";
import type { Commands } from "../protocol/commands.ts";
import type { Body } from "../protocol/frame.ts";
import type { ThrottlingReason } from "../protocol/reason.ts";
import type { ConnectionHome } from "./connection-home.ts";
import type { ServerProducer } from "./server-producer.ts";
import type { Signals } from "./signals.ts";
import { LIMITER_OF } from "./topic-limits.ts";

/** Pauses for topics and resource groups end at these marks of the server's clock. */
const MARK_MS = 1_000;

/** The producers of one connection: what they send, and the limits that it meets. */
export class Producers {
  readonly #home: ConnectionHome;
  readonly #signals: Signals;
  readonly #producers = new Map<number, ServerProducer>();
  /** Ids for which the handler is being asked. */
  readonly #opening = new Set<number>();
  readonly #roomAgain = (): void => this.#home.gate.release("MessageBufferSizeBreach");
  #pending = 0;

  constructor(home: ConnectionHome, signals: Signals) {
    this.#home = home;
    this.#signals = signals;
  }

  get size(): number {
    return this.#producers.size + this.#opening.size;
  }

  /** Messages that the handler has not yet dealt with. */
  get pending(): number {
    return this.#pending;
  }

  find(id: number): ServerProducer | undefined {
    return this.#producers.get(id);
  }

  /** @throws DtError `DT_PROTOCOL` when the id is in use */
  async open({ requestId, producerId, topic, producerName }: Commands["createProducer"]): Promise<void> {
    const home = this.#home;
    const { settings, limits } = home;
    if (this.#producers.has(producerId) || this.#opening.has(producerId))
      throw protocolError(`the client made a producer ${producerId} twice`);
    this.#opening.add(producerId);
    try {
      if (this.size > settings.maxProducers)
        throw new SignalError("DT_REFUSED", `a connection has at most ${settings.maxProducers} producers`);
      const who = { topic: checkName("topic", topic), producerName: checkName("producerName", producerName) };
      const lastSequenceId = (await settings.handler.openProducer?.(who)) ?? 0;
      if (home.closed()) return;
      const producer: ServerProducer = {
        id: producerId,
        name: producerName,
        topic,
        limits: limits.open(topic),
        lastSequenceId,
        toldFirst: false,
        throttledUntilMs: 0,
        confirmedUntilMs: 0,
        renewal: undefined,
      };
      this.#producers.set(producerId, producer);
      this.#tellFirst(producer);
      home.send({ type: "producerSuccess", requestId, producerName, lastSequenceId });
    } catch (error) {
      home.send({ type: "error", requestId, message: messageOf(error) });
    } finally {
      this.#opening.delete(producerId);
    }
  }

  /** @throws DtError `DT_PROTOCOL` when there is no such producer */
  close({ requestId, producerId }: Commands["closeProducer"]): void {
    this.#drop(this.#known(producerId));
    this.#home.send({ type: "success", requestId });
  }

  /**
   * A message came. False when it cannot be taken yet.
   * @throws DtError `DT_PROTOCOL` when there is no such producer, or the message is older than one before
   */
  take({ producerId, sequenceId }: Commands["send"], { payload, metadata }: Body, frameBytes: number): boolean {
    const { settings, broker, budget, room } = this.#home;
    const producer = this.#known(producerId);
    if (sequenceId <= producer.lastSequenceId)
      throw protocolError(`the client sent message ${sequenceId} after ${producer.lastSequenceId}`);
    const nowMs = settings.runtime.now();
    if (broker.exhausted(nowMs)) {
      // At half a second's worth, or every single message would be a breach with a signal of its own.
      this.breach("BrokerProduceQuotaExceeded", broker.filledAtMs(0.5, nowMs));
      return false;
    }
    if (!this.#hasRoom(frameBytes)) return false;
    if (!this.#signals.admits(producer, payload.length)) return false;
    room.becomeMessage(frameBytes);
    producer.lastSequenceId = sequenceId;
    broker.take(payload.length, nowMs);
    producer.limits.take(payload.length, nowMs);
    const reason = producer.limits.exhausted(nowMs);
    if (reason && producer.throttledUntilMs <= nowMs) this.#throttle(producer, reason, markAfter(nowMs));
    const { topic, name: producerName } = producer;
    // A copy: the view would keep the whole chunk that it came in.
    const message = { topic, producerName, sequenceId, payload: Buffer.from(payload), key: metadata.key };
    try {
      const answer = settings.handler.publish(message);
      if (typeof answer === "number") this.#receipt(producerId, sequenceId, answer, frameBytes);
      else this.#wait(producerId, sequenceId, answer, frameBytes);
    } catch (error) {
      this.#failed(producerId, sequenceId, error);
      budget.give(frameBytes);
    }
    return true;
  }

  /** A limit of the whole connection was reached: every producer is told why, and nothing is read. */
  breach(reason: ThrottlingReason, untilMs?: number): void {
    const { gate, throttled } = this.#home;
    for (const producer of this.#producers.values()) this.#signals.tell(producer, reason, 0);
    throttled(LIMITER_OF[reason], "", 0);
    gate.hold(reason, untilMs);
  }

  /** The connection is over. */
  end(): void {
    this.#home.budget.forget(this.#roomAgain);
    for (const producer of this.#producers.values()) this.#drop(producer);
  }

  /** Whether there is room for a message that is here; if not, nothing is read until half of it is free. */
  #hasRoom(bytes: number): boolean {
    const { budget, room } = this.#home;
    if (room.fits(bytes)) return true;
    this.breach("MessageBufferSizeBreach");
    budget.whenFree(bytes - room.bytes, this.#roomAgain);
    return false;
  }

  #known(id: number): ServerProducer {
    const producer = this.#producers.get(id);
    if (producer === undefined) throw protocolError(`the client named a producer ${id} that it has not made`);
    return producer;
  }

  #drop(producer: ServerProducer): void {
    producer.renewal?.cancel();
    this.#producers.delete(producer.id);
    this.#home.limits.close(producer.topic);
  }

  /**
   * A producer that comes to a topic above its quota is told so before it is made. Otherwise each new one could send
   * what was not yet on its way, and many of them any number of messages.
   */
  #tellFirst(producer: ServerProducer): void {
    const nowMs = this.#home.settings.runtime.now();
    const reason = producer.limits.exhausted(nowMs);
    if (reason === undefined) return;
    producer.toldFirst = true;
    this.#throttle(producer, reason, markAfter(nowMs));
  }

  #throttle(producer: ServerProducer, reason: ThrottlingReason, markMs: number): void {
    const { settings, throttled } = this.#home;
    const { runtime, throttleProducerReceiptWaitTimeMillis: receiptWaitMs } = settings;
    const pauseMs = markMs - runtime.now();
    void this.#signals.throttle(producer, reason, pauseMs);
    throttled(LIMITER_OF[reason], producer.topic, pauseMs);
    // A debt that is larger than what comes in until the mark needs another signal, which is to be there before the
    // client goes on.
    const lookInMs = Math.max(pauseMs / 2, pauseMs - receiptWaitMs);
    producer.renewal?.cancel();
    const look = (): void => {
      // A process that stood still looks when the mark has passed.
      const nowMs = runtime.now();
      const still = producer.limits.exhausted(Math.max(markMs, nowMs));
      if (still) this.#throttle(producer, still, Math.max(markMs + MARK_MS, markAfter(nowMs)));
    };
    producer.renewal = runtime.setTimer(look, lookInMs, { keepAlive: false });
  }

  #wait(producerId: number, sequenceId: number, answer: Promise<number>, frameBytes: number): void {
    const { settings, gate, budget } = this.#home;
    const { maxPendingMessages } = settings;
    const done = (): void => {
      this.#pending -= 1;
      budget.give(frameBytes);
      if (this.#pending <= maxPendingMessages / 2) gate.release("ConnectionPendingMessagesBreach");
    };
    this.#pending += 1;
    if (this.#pending === maxPendingMessages) this.breach("ConnectionPendingMessagesBreach");
    answer.then(
      (messageId) => {
        this.#home.send({ type: "sendReceipt", producerId, sequenceId, messageId });
        done();
      },
      (error: unknown) => {
        this.#failed(producerId, sequenceId, error);
        done();
      },
    );
  }

  #receipt(producerId: number, sequenceId: number, messageId: number, frameBytes: number): void {
    this.#home.budget.give(frameBytes);
    this.#home.send({ type: "sendReceipt", producerId, sequenceId, messageId });
  }

  #failed(producerId: number, sequenceId: number, error: unknown): void {
    this.#home.send({ type: "sendError", producerId, sequenceId, message: messageOf(error) });
  }
}

/** The first mark after a time. */
function markAfter(ms: number): number {
  return (Math.floor(ms / MARK_MS) + 1) * MARK_MS;
}

/** At most so much of an error's text goes to a client. */
const LONGEST_MESSAGE = 500;

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_MESSAGE);
}

import { DtError, type Runtime, type Timer } from "@dt/core";
import { checkDuration, checkKeys, checkName, checkSignal, Fifo, invalidOption, whenAborted } from "@dt/core/internal";
import { queueFull, SignalError } from "../errors.ts";
import type { Commands } from "../protocol/commands.ts";
import { FRAME_OVERHEAD_BYTES } from "../protocol/frame.ts";
import { concernsConnection, type ThrottlingReason } from "../protocol/reason.ts";
import type { Link } from "./link.ts";
import { type ClientSettings, SEND_OPTIONS, type SendOptions } from "./options.ts";
import type { Outgoing, Receipt } from "./outgoing.ts";
import { timedOut, tooLong } from "./send-failure.ts";
import { ThrottleState } from "./throttle-state.ts";

/** Messages that a producer has on its way at most when its throttle ends; twice as many every 100 ms after that. */
const FIRST_WINDOW = 1;
const DOUBLES_IN_MS = 100;

/** How a producer is throttled. */
export interface Throttled {
  /** Why; of several reasons the one that lasts longest. */
  readonly reason: ThrottlingReason;
  /** Milliseconds until it may send; 0 where only the server knows. */
  readonly remainingMs: number;
}

/** What a producer needs of its client. */
export interface ProducerHome {
  readonly settings: ClientSettings;
  /** Receives each signal; `times` is 0 where a signal of unknown length is over, and only its time is new. */
  readonly throttled: (topic: string, reason: ThrottlingReason, ms: number, times: number) => void;
  readonly left: () => void;
}

/** Sends messages to one topic, in order. Made by {@link SignalClient.createProducer}. */
export class Producer {
  /** The topic that it publishes to. */
  readonly topic: string;
  /** Unique among all producers. By this name the server knows which messages it has already. */
  readonly name: string;
  /** Its number on the connection. */
  readonly id: number;
  readonly #home: ProducerHome;
  readonly #runtime: Runtime;
  readonly #state = new ThrottleState();
  readonly #queue = new Fifo<Outgoing>();
  /** Sent and not confirmed, in order. */
  readonly #inFlight = new Map<number, Outgoing>();
  #link: Link | undefined;
  #lastSequenceId = 0;
  #deferral: Timer | undefined;
  #closed = false;

  constructor(id: number, topic: string, name: string, home: ProducerHome) {
    this.id = id;
    this.topic = topic;
    this.name = name;
    this.#home = home;
    this.#runtime = home.settings.runtime;
  }

  /**
   * True while the server wants no messages for this topic, or does not read this connection. Other producers may go
   * on.
   */
  isThrottled(): boolean {
    return this.#state.reason(this.#runtime.now()) !== undefined;
  }

  /** How it is throttled; undefined when it is not. */
  throttle(): Throttled | undefined {
    const nowMs = this.#runtime.now();
    const reason = this.#state.reason(nowMs);
    return reason && { reason, remainingMs: this.#state.remainingMs(nowMs) };
  }

  /** Messages that are not confirmed yet, sent or not. */
  get pendingMessages(): number {
    return this.#queue.size + this.#inFlight.size;
  }

  /**
   * Sends a message; resolves when the server has kept it. While the producer is throttled, messages wait in order.
   *
   * @param payload the message's bytes
   * @param options the key, and how the call waits
   * @throws ProducerThrottledError (`DT_PRODUCER_THROTTLED`) at once when it is throttled for longer than the message
   *   has time, and when the time was up while it was throttled
   * @throws DtError `DT_SEND_TIMEOUT`, `DT_QUEUE_FULL`, `DT_REFUSED` (the server could not keep it), `DT_STOPPED`,
   *   `DT_INVALID_OPTION`
   */
  async send(payload: Uint8Array | string, options: SendOptions = {}): Promise<Receipt> {
    const { sendTimeoutMs, maxPendingMessages } = this.#home.settings;
    checkKeys("options", options, SEND_OPTIONS);
    const signal = checkSignal(options.signal);
    const key = options.key === undefined ? undefined : checkName("key", options.key);
    const timeoutMs = checkDuration("timeout", options.timeout ?? sendTimeoutMs, 1);
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    if (!(bytes instanceof Uint8Array))
      throw invalidOption("payload", payload, "give bytes (a Uint8Array) or a string");
    const { largestFrame } = this.#link ?? { largestFrame: Number.POSITIVE_INFINITY };
    if (bytes.length > largestFrame - FRAME_OVERHEAD_BYTES)
      throw invalidOption("payload.length", bytes.length, `give at most ${largestFrame - FRAME_OVERHEAD_BYTES} bytes`);
    if (this.#closed) throw stopped(this.topic);
    signal?.throwIfAborted();
    const nowMs = this.#runtime.now();
    this.#failFast(timeoutMs, nowMs);
    if (this.pendingMessages >= maxPendingMessages) throw queueFull(maxPendingMessages);
    return new Promise<Receipt>((resolve, reject) => {
      const message: Outgoing = {
        payload: bytes,
        key,
        timeoutMs,
        sinceMs: nowMs,
        throttledMsBefore: this.#state.throttledMs(nowMs),
        sequenceId: 0,
        done: false,
        timer: this.#runtime.setTimer(
          () => this.#giveUp(message, timedOut(this.topic, this.#state, message, this.#runtime.now())),
          timeoutMs,
        ),
        stopListening: signal && whenAborted(signal, () => this.#giveUp(message, signal.reason)),
        resolve,
        reject,
      };
      this.#queue.push(message);
      this.pump();
    });
  }

  /** Sends nothing more. Messages that are not confirmed yet fail. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.end(stopped(this.topic));
    const { id: producerId } = this;
    // A connection that is lost meanwhile has closed it as well.
    await this.#link?.request((requestId) => ({ type: "closeProducer", requestId, producerId })).catch(() => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * For the client: makes the producer on a new connection, and goes on where the last one ended.
   * @param link the connection from now on
   * @throws DtError `DT_REFUSED`
   */
  async attach(link: Link): Promise<void> {
    const { id: producerId, topic, name: producerName } = this;
    const answer = await link.request((requestId) => ({
      type: "createProducer",
      requestId,
      producerId,
      topic,
      producerName,
    }));
    if (this.#closed) return;
    const { lastSequenceId } = answer as Commands["producerSuccess"];
    this.#lastSequenceId = Math.max(this.#lastSequenceId, lastSequenceId);
    for (const message of [...this.#queue]) {
      const { sequenceId } = message;
      if (sequenceId === 0 || sequenceId > lastSequenceId) break;
      this.#queue.remove(message);
      this.#confirm(message, { sequenceId, messageId: undefined });
    }
    this.#link = link;
    this.pump();
  }

  /**
   * For the client: the connection is over. Messages that were on their way are first in the queue again, under the
   * numbers that they had.
   */
  detach(): void {
    this.#link = undefined;
    this.#endOpen();
    for (const message of [...this.#inFlight.values()].reverse()) if (!message.done) this.#queue.unshift(message);
    this.#inFlight.clear();
  }

  /**
   * For the client: a signal came. Messages that would wait longer than they have time fail at once.
   * @param options the frame that came
   */
  signalled({ throttlingReason: reason, pauseForMillis }: Commands["throttleProducer"]): void {
    const nowMs = this.#runtime.now();
    this.#state.add(reason, pauseForMillis, nowMs);
    this.#home.throttled(this.topic, reason, pauseForMillis, 1);
    if (concernsConnection(reason) && pauseForMillis === 0) this.#link?.askWhetherRead();
    const remainingMs = this.#state.remainingMs(nowMs);
    for (const message of [...this.#queue])
      if (message.sinceMs + message.timeoutMs < nowMs + remainingMs)
        this.#giveUp(message, tooLong(this.topic, this.#state, nowMs));
    this.#defer(remainingMs);
  }

  /** For the client: the server reads on. */
  readsOn(): void {
    this.#endOpen();
  }

  /**
   * For the client: the server has kept a message.
   * @param options the frame that came
   */
  confirmed({ sequenceId, messageId }: Commands["sendReceipt"]): void {
    const message = this.#inFlight.get(sequenceId);
    // One that was given up is answered all the same.
    if (message) this.#confirm(message, { sequenceId, messageId });
  }

  /**
   * For the client: the server could not keep a message.
   * @param options the frame that came
   */
  refused({ sequenceId, message: text }: Commands["sendError"]): void {
    const message = this.#inFlight.get(sequenceId);
    if (message) this.#giveUp(message, new SignalError("DT_REFUSED", `the server could not keep a message: ${text}`));
    this.#inFlight.delete(sequenceId);
    this.pump();
  }

  /**
   * For the client: fails everything.
   * @param error why
   */
  end(error: Error): void {
    this.#closed = true;
    this.#deferral?.cancel();
    for (const message of [...this.#queue, ...this.#inFlight.values()]) this.#giveUp(message, error);
    this.#inFlight.clear();
    this.#home.left();
  }

  /** Sends what may be sent. */
  pump(): void {
    const link = this.#link;
    if (link === undefined || this.#queue.size === 0) return;
    const nowMs = this.#runtime.now();
    const window = this.#window(nowMs);
    const remainingMs = this.#state.remainingMs(nowMs);
    if (remainingMs > 0) this.#defer(remainingMs);
    while (remainingMs === 0 && this.#inFlight.size < window && !link.full) {
      const message = this.#queue.shift();
      if (message === undefined) return;
      if (message.sequenceId === 0) {
        this.#lastSequenceId += 1;
        message.sequenceId = this.#lastSequenceId;
      }
      this.#inFlight.set(message.sequenceId, message);
      this.#write(link, message);
    }
  }

  /**
   * How many messages may be on their way. A producer above its quota sends again at every second mark, and what it
   * then has on its way stands before the others' messages: few at first, and soon as many as a long way takes.
   */
  #window(nowMs: number): number {
    const { maxInFlight } = this.#home.settings;
    return Math.min(maxInFlight, Math.floor(FIRST_WINDOW * 2 ** ((nowMs - this.#state.endMs) / DOUBLES_IN_MS)));
  }

  #write(link: Link, { sequenceId, payload, key }: Outgoing): void {
    const metadata = key === undefined ? {} : { key };
    link.send({ type: "send", producerId: this.id, sequenceId }, { payload, metadata });
  }

  /** Looks again when the throttle ends, if anything waits. */
  #defer(remainingMs: number): void {
    this.#deferral?.cancel();
    this.#deferral = this.#queue.size > 0 ? this.#runtime.setTimer(() => this.pump(), remainingMs) : undefined;
  }

  #failFast(timeoutMs: number, nowMs: number): void {
    const remainingMs = this.#state.remainingMs(nowMs);
    if (remainingMs > timeoutMs) throw tooLong(this.topic, this.#state, nowMs);
  }

  #confirm(message: Outgoing, receipt: Receipt): void {
    this.#inFlight.delete(receipt.sequenceId);
    if (!message.done) {
      settle(message);
      message.resolve(receipt);
    }
    this.pump();
  }

  /**
   * Answers a message with an error. One that is on its way stays there: it may be kept, and takes room until its
   * receipt.
   */
  #giveUp(message: Outgoing, error: unknown): void {
    if (message.done) return;
    settle(message);
    this.#queue.remove(message);
    message.reject(error);
  }

  #endOpen(): void {
    for (const [reason, ms] of this.#state.endOpen(this.#runtime.now()))
      this.#home.throttled(this.topic, reason, ms, 0);
  }
}

export function stopped(topic: string): DtError {
  return new DtError("DT_STOPPED", `the producer of ${topic} is closed`);
}

function settle(message: Outgoing): void {
  message.done = true;
  message.timer.cancel();
  message.stopListening?.();
}

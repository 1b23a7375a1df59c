import type { Runtime, Timer } from "@dt/core";
import { protocolError } from "../errors.ts";
import type { Command } from "../protocol/commands.ts";
import { concernsConnection, type ThrottlingReason } from "../protocol/reason.ts";
import type { ServerSettings } from "./options.ts";
import type { ReadGate } from "./read-gate.ts";
import type { ServerProducer } from "./server-producer.ts";
import type { SignalCounts } from "./signal-counts.ts";

/** What came of a throttle: the client confirmed it, or its connection is read no more. */
export type ThrottleOutcome = "confirmed" | "paused";

/**
 * How long a client that broke its word is only paused; also the time in which the bytes are counted that broken
 * promises may cost.
 */
const DISTRUST_MS = 60_000;

/** A signal that no receipt has come for yet. */
interface Pledge {
  readonly producer: ServerProducer;
  readonly dueMs: number;
  readonly timer: Timer;
  readonly settle: (outcome: ThrottleOutcome) => void;
}

/** What one connection's signals need. */
export interface SignalsHome {
  readonly settings: ServerSettings;
  readonly gate: ReadGate;
  readonly counts: SignalCounts;
  /** Whether the client understands signals. */
  readonly understood: () => boolean;
  /** True while more should not be written, since the client does not read. */
  readonly full: () => boolean;
  readonly send: (command: Command) => void;
}

/**
 * The signals of one connection, and what becomes of the promises that answer them. A client that does not understand
 * them, does not confirm in time, or confirms and sends all the same is not read: memory never depends on what a client
 * says.
 */
export class Signals {
  readonly #home: SignalsHome;
  readonly #runtime: Runtime;
  readonly #pledges = new Map<number, Pledge>();
  #lastRequestId = 0;
  #distrustedUntilMs = 0;
  readonly #unconfirmed: Allowance;
  readonly #broken: Allowance;

  constructor(home: SignalsHome) {
    this.#home = home;
    this.#runtime = home.settings.runtime;
    this.#unconfirmed = new Allowance(home.settings.maxUnconfirmedBytes, 1_000);
    this.#broken = new Allowance(home.settings.maxBrokenPromiseBytes, DISTRUST_MS);
  }

  /** Throttles a producer for so many milliseconds. */
  throttle(producer: ServerProducer, reason: ThrottlingReason, pauseMs: number): Promise<ThrottleOutcome> {
    const { settings, gate, counts } = this.#home;
    const nowMs = this.#runtime.now();
    if (concernsConnection(reason)) {
      this.tell(producer, reason, 0);
      gate.hold(reason, pauseMs > 0 ? nowMs + pauseMs : undefined);
      return Promise.resolve("paused");
    }
    const dueMs = nowMs + pauseMs;
    producer.throttledUntilMs = Math.max(producer.throttledUntilMs, dueMs);
    const requestId = nowMs < this.#distrustedUntilMs ? undefined : this.tell(producer, reason, pauseMs);
    // A receipt that is not read proves nothing.
    if (requestId === undefined || gate.held) {
      this.#pause(producer, reason, dueMs);
      return Promise.resolve("paused");
    }
    return new Promise((settle) => {
      const late = (): void => {
        this.#pledges.delete(requestId);
        counts.unconfirmed += 1;
        this.#pause(producer, reason, dueMs);
        settle("paused");
      };
      const timer = this.#runtime.setTimer(late, settings.throttleProducerReceiptWaitTimeMillis, { keepAlive: false });
      this.#pledges.set(requestId, { producer, dueMs, timer, settle });
    });
  }

  /**
   * Sends a signal and expects nothing; returns its request's id, undefined when the client would not understand it, or
   * does not read what it is sent.
   */
  tell(producer: ServerProducer, reason: ThrottlingReason, pauseMs: number): number | undefined {
    const { counts, understood, full, send } = this.#home;
    if (!understood() || full()) return undefined;
    this.#lastRequestId += 1;
    counts.sent += 1;
    send({
      type: "throttleProducer",
      requestId: this.#lastRequestId,
      producerId: producer.id,
      throttlingReason: reason,
      pauseForMillis: Math.ceil(pauseMs),
    });
    return this.#lastRequestId;
  }

  /**
   * The client confirms. A receipt that comes late changes nothing: the pause that took its place stays.
   * @throws DtError `DT_PROTOCOL` when nothing was asked with this id
   */
  receipt(requestId: number): void {
    const { counts } = this.#home;
    if (requestId < 1 || requestId > this.#lastRequestId)
      throw protocolError(`the client sent a receipt for request ${requestId}, which the server never sent`);
    const pledge = this.#pledges.get(requestId);
    if (pledge === undefined) {
      counts.late += 1;
      return;
    }
    this.#pledges.delete(requestId);
    pledge.timer.cancel();
    counts.confirmed += 1;
    pledge.producer.confirmedUntilMs = Math.max(pledge.producer.confirmedUntilMs, pledge.dueMs);
    pledge.settle("confirmed");
  }

  /**
   * True when a message may be taken. False when its producer should be silent, and enough has come all the same: the
   * connection is then held until the throttle ends.
   */
  admits(producer: ServerProducer, bytes: number): boolean {
    const { gate, counts } = this.#home;
    const nowMs = this.#runtime.now();
    if (nowMs >= producer.throttledUntilMs) {
      producer.toldFirst = false;
      return true;
    }
    if (producer.toldFirst) {
      // Nothing of it was on its way.
      gate.hold("TopicProduceQuotaExceeded", producer.throttledUntilMs);
      return false;
    }
    if (nowMs >= producer.confirmedUntilMs) {
      if (this.#unconfirmed.take(bytes, nowMs)) {
        counts.unconfirmedBytes += bytes;
        return true;
      }
    } else {
      if (this.#broken.take(bytes, nowMs)) {
        counts.brokenBytes += bytes;
        return true;
      }
      counts.broken += 1;
      this.#distrustedUntilMs = nowMs + DISTRUST_MS;
    }
    gate.hold("TopicProduceQuotaExceeded", producer.throttledUntilMs);
    return false;
  }

  /** One that has sent nothing yet needs no pause: its first message would bring it. */
  #pause(producer: ServerProducer, reason: ThrottlingReason, untilMs: number): void {
    if (!producer.toldFirst) this.#home.gate.hold(reason, untilMs);
  }

  /** The connection is over: no receipt comes any more. */
  close(): void {
    for (const { timer, settle } of this.#pledges.values()) {
      timer.cancel();
      settle("paused");
    }
    this.#pledges.clear();
  }
}

/** So many bytes in each window of time. */
class Allowance {
  readonly #bytes: number;
  readonly #windowMs: number;
  #window = -1;
  #used = 0;

  constructor(bytes: number, windowMs: number) {
    this.#bytes = bytes;
    this.#windowMs = windowMs;
  }

  /** Takes bytes; false when so many are not left in this window. */
  take(bytes: number, nowMs: number): boolean {
    const window = Math.floor(nowMs / this.#windowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#used = 0;
    }
    if (this.#used + bytes > this.#bytes) return false;
    this.#used += bytes;
    return true;
  }
}

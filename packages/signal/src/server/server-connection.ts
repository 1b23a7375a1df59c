import type { Duplex } from "node:stream";
import { DtError, type Timer } from "@dt/core";
import { checkDuration, invalidOption } from "@dt/core/kit";
import { FramedStream } from "../connection/framed-stream.ts";
import { KeepAlive } from "../connection/keep-alive.ts";
import type { Command } from "../protocol/commands.ts";
import type { Frame } from "../protocol/frame.ts";
import { protocolError } from "../protocol/protocol-error.ts";
import { concernsConnection, type ThrottlingReason, throttlingReasons } from "../protocol/reason.ts";
import { VERSION } from "../protocol/version.ts";
import type { ConnectionHome, ServerShared } from "./connection-home.ts";
import { Consumers } from "./consumers.ts";
import { Producers } from "./producers.ts";
import { ReadGate } from "./read-gate.ts";
import { noSignals, type SignalCounts } from "./signal-counts.ts";
import { Signals, type ThrottleOutcome } from "./signals.ts";
import { LIMITER_OF } from "./topic-limits.ts";

/** How a connection is doing. */
export interface ConnectionStatus {
  /** True while it is not read. */
  readonly paused: boolean;
  /** How often it was not read, and for how many milliseconds. */
  readonly pauses: { readonly times: number; readonly ms: number };
  /** Messages that the handler has not yet dealt with. */
  readonly pendingMessages: number;
  /** Bytes that are held for it: what came in and was not taken yet, what was written and not read. */
  readonly bufferedBytes: number;
  /** Whether the client understands signals. */
  readonly understandsSignals: boolean;
  readonly signals: Readonly<SignalCounts>;
  readonly closed: boolean;
}

/** The server's side of one connection. Made by {@link SignalServer.attach}. */
export class ServerConnection {
  readonly #shared: ServerShared;
  readonly #frames: FramedStream;
  readonly #gate: ReadGate;
  readonly #signals: Signals;
  readonly #producers: Producers;
  readonly #consumers: Consumers;
  readonly #counts: SignalCounts = noSignals();
  readonly #onClosed: (error: Error | undefined) => void;
  readonly #keepAlive: KeepAlive;
  readonly #handshake: Timer;
  readonly #wake = (): void => this.#gate.release("MessageBufferSizeBreach");
  #slowReader: Timer | undefined;
  /** Room that was taken for a frame that is not here yet, or not taken yet. */
  #admitted = 0;
  #greeted = false;
  #understands = false;

  /** @param onClosed told once, when the connection is over */
  constructor(stream: Duplex, shared: ServerShared, onClosed: (error: Error | undefined) => void) {
    const { runtime, maxFrameBytes, handshakeMs, keepAliveMs } = shared.settings;
    this.#shared = shared;
    this.#onClosed = onClosed;
    this.#frames = new FramedStream(stream, maxFrameBytes, {
      admit: (bytes) => this.#admit(bytes),
      frame: (frame, bytes) => this.#frame(frame, bytes),
      drained: () => this.#drained(),
      closed: (error) => this.#ended(error),
    });
    this.#gate = new ReadGate(
      runtime,
      () => this.#frames.resume(),
      () => this.#frames.pause(),
    );
    const home: ConnectionHome = {
      ...shared,
      gate: this.#gate,
      send: (command, body) => this.#frames.send(command, body),
      closed: () => this.#frames.closedAlready,
      full: () => this.#unread(),
    };
    this.#signals = new Signals({ ...home, counts: this.#counts, understood: () => this.#understands });
    this.#producers = new Producers(home, this.#signals);
    this.#consumers = new Consumers(home);
    const silent = new DtError("DT_PROTOCOL", `the client did not say who it is within ${handshakeMs} ms`);
    this.#handshake = runtime.setTimer(() => this.close(silent), handshakeMs, { keepAlive: false });
    this.#keepAlive = new KeepAlive({
      runtime,
      frames: this.#frames,
      everyMs: keepAliveMs,
      deaf: () => this.#gate.held,
    });
  }

  /**
   * Throttles a producer of this connection. For a topic or a resource group the client is asked to send nothing for so
   * long; it has a moment to confirm, and if it does not, or cannot, the connection is not read until then. For the
   * other reasons the client is told, and the connection is not read for so long, or with 0 until {@link resume}.
   * Resolves to what came of it.
   *
   * @param pauseMs milliseconds; more than 0 for a topic or a resource group
   * @throws DtError `DT_INVALID_OPTION` when there is no such producer or reason
   */
  throttle(producerId: number, reason: ThrottlingReason, pauseMs: number): Promise<ThrottleOutcome> {
    const producer = this.#producers.find(producerId);
    if (producer === undefined) throw invalidOption("producerId", producerId, "name a producer of this connection");
    if (!throttlingReasons.includes(reason))
      throw invalidOption("reason", reason, `give one of ${throttlingReasons.join(", ")}`);
    const ms = checkDuration("pauseMs", pauseMs, concernsConnection(reason) ? 0 : 1);
    this.#shared.throttled(LIMITER_OF[reason], producer.topic, ms);
    return this.#signals.throttle(producer, reason, ms);
  }

  /** Ends a pause of {@link throttle} that has no end of its own. */
  resume(reason: ThrottlingReason): void {
    this.#gate.release(reason);
  }

  status(): ConnectionStatus {
    return {
      paused: this.#gate.held,
      pauses: this.#gate.paused,
      pendingMessages: this.#producers.pending,
      bufferedBytes: this.#frames.incomingBytes + this.#frames.outgoingBytes,
      understandsSignals: this.#understands,
      signals: { ...this.#counts },
      closed: this.#frames.closedAlready,
    };
  }

  /** Ends the connection at once. */
  close(error?: Error): void {
    this.#frames.close(error);
  }

  #admit(bytes: number): boolean {
    if (this.#shared.budget.take(bytes)) {
      this.#admitted = bytes;
      return true;
    }
    this.#producers.breach("MessageBufferSizeBreach");
    this.#shared.budget.whenHalfFree(this.#wake);
    return false;
  }

  #frame({ command, body }: Frame, bytes: number): boolean {
    if (command.type === "send" && body && this.#greeted) {
      if (!this.#producers.take(command, body, bytes)) return false;
      // It was given back with the message, or will be.
      this.#admitted = 0;
    } else {
      this.#command(command);
      this.#giveBack();
    }
    if (this.#unread()) this.#holdForReader();
    return true;
  }

  #command(command: Command): void {
    if (!this.#greeted && command.type !== "connect")
      throw protocolError(`the client sent ${command.type} before it said who it is`);
    switch (command.type) {
      case "connect":
        this.#greet(command);
        break;
      case "createProducer":
        // What it throws is against the protocol; what is refused is answered.
        this.#producers.open(command).catch((error: Error) => this.close(error));
        break;
      case "closeProducer":
        this.#producers.close(command);
        break;
      case "throttleProducerReceipt":
        this.#signals.receipt(command.requestId);
        break;
      case "subscribe":
        this.#consumers.open(command);
        break;
      case "flow":
        this.#consumers.flow(command);
        break;
      case "closeConsumer":
        this.#consumers.close(command);
        break;
      case "ping":
        this.#frames.send({ type: "pong" });
        break;
      case "pong":
        break;
      default:
        throw protocolError(`the client sent ${command.type}, which only a server sends`);
    }
  }

  #greet({ featureFlags }: Command & { readonly type: "connect" }): void {
    if (this.#greeted) throw protocolError("the client said twice who it is");
    const { signals, maxFrameBytes } = this.#shared.settings;
    this.#greeted = true;
    this.#understands = signals && featureFlags?.supportsThrottleProducerCommands === true;
    this.#handshake.cancel();
    this.#frames.send({
      type: "connected",
      serverVersion: VERSION,
      maxFrameSize: maxFrameBytes,
      ...(signals && { featureFlags: { supportsThrottleProducerCommands: true } }),
    });
  }

  /** True while too much was written that the client has not read. `drained` follows. */
  #unread(): boolean {
    return this.#frames.full && this.#frames.outgoingBytes >= this.#shared.settings.maxOutgoingBytes;
  }

  /** A client that does not read what it is answered is not read either, and given up after a while. */
  #holdForReader(): void {
    const { runtime, keepAliveMs } = this.#shared.settings;
    this.#gate.hold("outgoing");
    const error = new DtError("DT_CONNECTION_LOST", `the client did not read its answers for ${keepAliveMs} ms`);
    this.#slowReader ??= runtime.setTimer(() => this.close(error), keepAliveMs, { keepAlive: false });
  }

  #drained(): void {
    this.#slowReader?.cancel();
    this.#slowReader = undefined;
    this.#gate.release("outgoing");
    this.#consumers.drained();
  }

  #giveBack(): void {
    const bytes = this.#admitted;
    this.#admitted = 0;
    this.#shared.budget.give(bytes);
  }

  #ended(error: Error | undefined): void {
    this.#handshake.cancel();
    this.#slowReader?.cancel();
    this.#keepAlive.stop();
    this.#gate.close();
    this.#shared.budget.forget(this.#wake);
    this.#giveBack();
    this.#signals.close();
    this.#producers.end();
    this.#consumers.end();
    this.#onClosed(error);
  }
}

import type { Duplex } from "node:stream";
import type { Timer } from "@dt/core";
import { checkDuration, invalidOption } from "@dt/core/internal";
import { FramedStream } from "../connection/framed-stream.ts";
import { KeepAlive } from "../connection/keep-alive.ts";
import { protocolError, SignalError } from "../errors.ts";
import { type Command, VERSION } from "../protocol/commands.ts";
import type { Frame } from "../protocol/frame.ts";
import { concernsConnection, type ThrottlingReason, throttlingReasons } from "../protocol/reason.ts";
import type { ConnectionHome, ServerShared } from "./connection-home.ts";
import { Consumers } from "./consumers.ts";
import { FrameRoom } from "./frame-room.ts";
import { Producers } from "./producers.ts";
import { ReadGate } from "./read-gate.ts";
import { noSignals, type SignalCounts } from "./signal-counts.ts";
import { Signals, type ThrottleOutcome } from "./signals.ts";
import { LIMITER_OF } from "./topic-limits.ts";

/** The most bytes of a frame before the greeting, which is one. */
const GREETING_BYTES = 4_096;

/** How a connection is doing. */
export interface ConnectionStatus {
  /** True while it is not read. */
  readonly paused: boolean;
  /** How often it was not read, and for how many milliseconds. */
  readonly pauses: { readonly times: number; readonly ms: number };
  /** Messages that the handler has not yet dealt with. */
  readonly pendingMessages: number;
  /** Bytes that are held for it: received and not taken yet, or written and not read by the client. */
  readonly bufferedBytes: number;
  /** Whether the client understands signals. */
  readonly understandsSignals: boolean;
  /** What was signalled on the connection, counted. */
  readonly signals: Readonly<SignalCounts>;
  /** True once the connection is closed. */
  readonly closed: boolean;
}

/** What a connection reports to its server, each once at most. */
export interface ConnectionListener {
  /** The client has sent its greeting. */
  greeted(): void;
  /** The connection is over. */
  closed(error: Error | undefined): void;
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
  readonly #listener: ConnectionListener;
  readonly #keepAlive: KeepAlive;
  readonly #handshake: Timer;
  readonly #room: FrameRoom;
  #slowReader: Timer | undefined;
  #pausesSeen = 0;
  #greeted = false;
  #understands = false;

  constructor(stream: Duplex, shared: ServerShared, listener: ConnectionListener) {
    const { runtime, maxFrameBytes, handshakeTimeoutMs, keepAliveMs } = shared.settings;
    this.#shared = shared;
    this.#listener = listener;
    this.#room = new FrameRoom({
      runtime,
      budget: shared.budget,
      missing: () => this.#producers.breach("MessageBufferSizeBreach"),
      found: () => this.#gate.release("MessageBufferSizeBreach"),
      waits: () => this.#gate.heldFor("MessageBufferSizeBreach"),
      late: (ms) => this.close(lateFrame(ms)),
    });
    this.#frames = new FramedStream(stream, {
      // Before the greeting next to nothing: a greeting is small.
      largest: () => (this.#greeted ? maxFrameBytes : Math.min(GREETING_BYTES, maxFrameBytes)),
      grow: (bytes) => this.#room.grow(bytes),
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
      room: this.#room,
      send: (command, body) => this.#frames.send(command, body),
      closed: () => this.#frames.closedAlready,
      full: () => this.#unread(),
    };
    this.#signals = new Signals({ ...home, counts: this.#counts, understood: () => this.#understands });
    this.#producers = new Producers(home, this.#signals);
    this.#consumers = new Consumers(home);
    const silent = new SignalError("DT_PROTOCOL", `the client did not send connect within ${handshakeTimeoutMs} ms`);
    this.#handshake = runtime.setTimer(() => this.close(silent), handshakeTimeoutMs, { keepAlive: false });
    this.#keepAlive = new KeepAlive({
      runtime,
      frames: this.#frames,
      everyMs: keepAliveMs,
      deaf: () => this.#wasDeaf(),
    });
  }

  /**
   * Throttles a producer of this connection; resolves to `"confirmed"` or `"paused"`.
   *
   * For a topic or a resource group the client is asked to send nothing for so long. It has a moment to confirm. If it
   * does not, or cannot, the connection is not read until the pause ends. For the other reasons the client receives a
   * signal, and the connection is not read for so long, or with 0 until {@link resume}.
   *
   * @param pauseMs milliseconds; more than 0 for a topic or a resource group
   * @param producerId the producer's number on the connection
   * @param reason why it is throttled
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

  /**
   * Ends a pause of {@link throttle} that has no end of its own.
   * @param reason why it was throttled
   */
  resume(reason: ThrottlingReason): void {
    this.#gate.release(reason);
  }

  /** How the connection is doing, as data. */
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

  /** Bytes held that are counted in the room that all connections share. */
  get sharedBytes(): number {
    return this.#room.bytes;
  }

  /**
   * Ends the connection at once.
   * @param error why
   */
  close(error?: Error): void {
    this.#frames.close(error);
  }

  #frame({ command, body }: Frame, bytes: number): boolean {
    if (command.type === "send" && body && this.#greeted) {
      if (!this.#producers.take(command, body, bytes)) return false;
    } else this.#command(command);
    this.#room.end();
    if (this.#unread()) this.#holdForReader();
    return true;
  }

  #command(command: Command): void {
    if (!this.#greeted && command.type !== "connect")
      throw protocolError(`the client sent ${command.type} before connect`);
    switch (command.type) {
      case "connect":
        this.#greet(command);
        break;
      case "createProducer":
        // A rejection is a breach of the protocol; a refused producer is answered.
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
    if (this.#greeted) throw protocolError("the client sent connect twice");
    const { supportsThrottleProducerCommands: signals, maxFrameBytes } = this.#shared.settings;
    this.#greeted = true;
    this.#understands = signals && featureFlags?.supportsThrottleProducerCommands === true;
    this.#handshake.cancel();
    this.#listener.greeted();
    this.#frames.send({
      type: "connected",
      serverVersion: VERSION,
      maxFrameSize: maxFrameBytes,
      ...(signals && { featureFlags: { supportsThrottleProducerCommands: true } }),
    });
  }

  /** True when it was not read at some time since it was last asked. */
  #wasDeaf(): boolean {
    const { times } = this.#gate.paused;
    const deaf = this.#gate.held || times !== this.#pausesSeen;
    this.#pausesSeen = times;
    return deaf;
  }

  /** True while too much was written that the client has not read. `drained` follows. */
  #unread(): boolean {
    return this.#frames.full && this.#frames.outgoingBytes >= this.#shared.settings.maxOutgoingBytes;
  }

  /** A client that does not read its answers is not read either, and closed after a while. */
  #holdForReader(): void {
    const { runtime, keepAliveMs } = this.#shared.settings;
    this.#gate.hold("outgoing");
    const error = new SignalError("DT_CONNECTION_LOST", `the client did not read its answers for ${keepAliveMs} ms`);
    this.#slowReader ??= runtime.setTimer(() => this.close(error), keepAliveMs, { keepAlive: false });
  }

  #drained(): void {
    this.#slowReader?.cancel();
    this.#slowReader = undefined;
    this.#gate.release("outgoing");
    this.#consumers.drained();
  }

  #ended(error: Error | undefined): void {
    this.#handshake.cancel();
    this.#slowReader?.cancel();
    this.#keepAlive.stop();
    this.#gate.close();
    this.#room.close();
    this.#signals.close();
    this.#producers.end();
    this.#consumers.end();
    this.#listener.closed(error);
  }
}

function lateFrame(ms: number): SignalError {
  return new SignalError(
    "DT_CONNECTION_LOST",
    `room for frames was scarce, and the client did not finish one within ${ms} ms; send smaller messages, or raise the server's maxMessageBufferBytes`,
    { effect: "unknown" },
  );
}

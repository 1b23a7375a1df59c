import type { Duplex } from "node:stream";
import { FramedStream } from "../connection/framed-stream.ts";
import { KeepAlive } from "../connection/keep-alive.ts";
import { protocolError, SignalError } from "../errors.ts";
import { type Command, type Commands, VERSION } from "../protocol/commands.ts";
import { type Body, LARGEST_FRAME_BYTES } from "../protocol/frame.ts";
import type { ClientSettings } from "./options.ts";

/** What a server's answer to a request is. */
export type Answer = Command & { readonly type: "producerSuccess" | "success" };

/** Receives the frames that answer no request. */
export interface LinkListener {
  receipt(receipt: Commands["sendReceipt"]): void;
  sendError(error: Commands["sendError"]): void;
  throttled(signal: Commands["throttleProducer"]): void;
  /** The server reads: whatever it had not read when it was last asked, it has read now. */
  readsOn(): void;
  message(message: Commands["message"], body: Body): void;
  /** More may be written. */
  drained(): void;
}

interface Request {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** One connection to the server, from the handshake to its end. */
export class Link {
  readonly #settings: ClientSettings;
  readonly #frames: FramedStream;
  readonly #listener: LinkListener;
  readonly #keepAlive: KeepAlive;
  readonly #requests = new Map<number, Request>();
  readonly #greeting: Promise<void>;
  readonly #over: Promise<Error | undefined>;
  #greet: (() => void) | undefined;
  #refuse: (error: Error) => void = () => undefined;
  #end: (error: Error | undefined) => void = () => undefined;
  #lastRequestId = 0;
  #largest = LARGEST_FRAME_BYTES;
  #asked = false;

  constructor(stream: Duplex, settings: ClientSettings, listener: LinkListener) {
    this.#settings = settings;
    this.#listener = listener;
    this.#greeting = new Promise((resolve, reject) => {
      this.#greet = resolve;
      this.#refuse = reject;
    });
    this.#greeting.catch(() => undefined);
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#frames = new FramedStream(stream, {
      largest: () => LARGEST_FRAME_BYTES,
      grow: () => true,
      frame: ({ command, body }) => {
        this.#command(command, body);
        return true;
      },
      drained: () => listener.drained(),
      closed: (error) => this.#closed(error),
    });
    const { runtime, keepAliveMs, supportsThrottleProducerCommands: signals } = settings;
    this.#keepAlive = new KeepAlive({ runtime, frames: this.#frames, everyMs: keepAliveMs, deaf: () => false });
    this.#frames.send({
      type: "connect",
      clientVersion: VERSION,
      ...(signals && { featureFlags: { supportsThrottleProducerCommands: true } }),
    });
  }

  /** The most bytes that the server takes in a frame. */
  get largestFrame(): number {
    return this.#largest;
  }

  /** True while writing should wait. */
  get full(): boolean {
    return this.#frames.full;
  }

  /** Resolves when the server has answered the greeting. @throws DtError when it does not */
  greeted(): Promise<void> {
    return this.#within(this.#greeting, "the greeting");
  }

  /** Resolves when the connection is over, to what was wrong. */
  over(): Promise<Error | undefined> {
    return this.#over;
  }

  send(command: Command, body?: Body): void {
    this.#frames.send(command, body);
  }

  /** Asks whether the server reads; the answer is `readsOn`. */
  askWhetherRead(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.send({ type: "ping" });
  }

  /**
   * Sends a request and waits for its answer.
   * @throws DtError `DT_REFUSED`, or `DT_CONNECTION_LOST` when the connection ends or the answer takes too long
   */
  request(make: (requestId: number) => Command): Promise<Answer> {
    this.#lastRequestId += 1;
    const id = this.#lastRequestId;
    const command = make(id);
    const answer = new Promise<Answer>((resolve, reject) => {
      if (this.#frames.closedAlready) reject(lost());
      else this.#requests.set(id, { resolve, reject });
    });
    this.send(command);
    return this.#within(answer, command.type).finally(() => this.#requests.delete(id));
  }

  close(error?: Error): void {
    this.#frames.close(error);
  }

  #command(command: Command, body: Body | undefined): void {
    const listener = this.#listener;
    switch (command.type) {
      case "connected":
        if (this.#greet === undefined) throw protocolError("the server sent connected twice");
        this.#largest = Math.min(this.#largest, command.maxFrameSize ?? this.#largest);
        this.#greet();
        this.#greet = undefined;
        break;
      case "sendReceipt":
        listener.receipt(command);
        break;
      case "sendError":
        listener.sendError(command);
        break;
      case "throttleProducer":
        // First the producer is still, then it confirms: its messages arrive before the receipt, and none after it.
        listener.throttled(command);
        this.send({ type: "throttleProducerReceipt", requestId: command.requestId });
        break;
      case "message":
        listener.message(command, body as Body);
        break;
      case "producerSuccess":
      case "success":
        this.#requests.get(command.requestId)?.resolve(command);
        break;
      case "error": {
        const { requestId, message } = command;
        this.#requests.get(requestId)?.reject(new SignalError("DT_REFUSED", `the server refused: ${message}`));
        break;
      }
      case "ping":
        this.send({ type: "pong" });
        break;
      case "pong":
        this.#asked = false;
        listener.readsOn();
        break;
      default:
        throw protocolError(`the server sent ${command.type}, which only a client sends`);
    }
  }

  #closed(error: Error | undefined): void {
    this.#keepAlive.stop();
    const reason = lost(error);
    this.#refuse(reason);
    for (const { reject } of this.#requests.values()) reject(reason);
    this.#end(error);
  }

  #within<T>(promise: Promise<T>, what: string): Promise<T> {
    const { runtime, requestTimeoutMs } = this.#settings;
    return new Promise((resolve, reject) => {
      const late = (): void => {
        const text = `${what} was not answered within ${requestTimeoutMs} ms`;
        reject(new SignalError("DT_CONNECTION_LOST", text, { effect: "unknown" }));
      };
      const timer = runtime.setTimer(late, requestTimeoutMs);
      promise.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

/** What became of everything that was under way. */
function lost(cause?: Error): SignalError {
  return new SignalError("DT_CONNECTION_LOST", "the connection ended", { effect: "unknown", cause });
}

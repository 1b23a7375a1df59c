import type { Socket } from "node:net";
import { type Command, type CommandType, decodeFrame, encodeFrame, FrameReader } from "@dt/signal";
import { until } from "@dt-tooling/backends";

type Of<Type extends CommandType> = Command & { readonly type: Type };

/** A client that says exactly what it is told to, and answers nothing by itself. */
export class RawClient {
  readonly socket: Socket;
  /** Everything that the server said. */
  readonly heard: { readonly command: Command; readonly atMs: number }[] = [];
  closed = false;
  readonly #reader = new FrameReader();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => {}); // Shows as "close".
    socket.on("close", () => {
      this.closed = true;
    });
    socket.on("data", (chunk: Buffer) => {
      this.#reader.push(chunk);
      for (let frame = this.#reader.next(); frame; frame = this.#reader.next())
        this.heard.push({ command: decodeFrame(frame).command, atMs: performance.now() });
    });
  }

  /** Shakes hands, as a client of the signal or of before it, and makes producers 1, 2 and so on. */
  static async ready(socket: Socket, topics: readonly string[], understands = true): Promise<RawClient> {
    const client = new RawClient(socket);
    const featureFlags = { supportsThrottleProducerCommands: understands };
    client.say({ type: "connect", clientVersion: "test", ...(understands && { featureFlags }) });
    await client.hears("connected");
    for (const [i, topic] of topics.entries()) {
      const id = i + 1;
      client.say({
        type: "createProducer",
        requestId: id,
        producerId: id,
        topic,
        producerName: `${topic}-${id}-${client.socket.localPort}`,
      });
      await client.hears("producerSuccess", ({ requestId }) => requestId === id);
    }
    return client;
  }

  say(...commands: Command[]): void {
    for (const command of commands) this.socket.write(encodeFrame(command));
  }

  send(producerId: number, sequenceId: number, payload: string | Uint8Array = `message ${sequenceId}`): void {
    this.socket.write(
      encodeFrame({ type: "send", producerId, sequenceId }, { payload: Buffer.from(payload), metadata: {} }),
    );
  }

  all<Type extends CommandType>(type: Type): Of<Type>[] {
    return this.heard.map(({ command }) => command).filter((command): command is Of<Type> => command.type === type);
  }

  /** The first command of a type, heard already or to come. */
  hears<Type extends CommandType>(type: Type, which: (command: Of<Type>) => boolean = () => true): Promise<Of<Type>> {
    return until(`the server says ${type}`, 20_000, () => this.all(type).find(which));
  }

  async isClosed(): Promise<void> {
    await until("the server closes the connection", 20_000, () => this.closed);
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

import { connect, type Socket } from "node:net";
import type { Endpoint } from "./endpoint.ts";
import type { LinkFault } from "./link-fault.ts";
import { Pipe, type PipeMode } from "./pipe.ts";

const PASS: PipeMode = { type: "pass", delayMs: 0 };

/** What a connection tells its proxy. */
export interface Listener {
  /** The client sent this; `pass` takes it on. */
  request(chunk: Buffer, pass: (chunk: Buffer) => void): void;
  /** Both sides are gone. Comes once. */
  closed(): void;
}

/** One client's connection, and the one to the server behind it. */
export class Connection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #requests: Pipe;
  readonly #replies: Pipe;
  #halved = false;
  #stranded = false;

  constructor(client: Socket, target: Endpoint, fault: LinkFault | undefined, listener: Listener) {
    this.#client = client.setNoDelay(true);
    // The client may be done before the server is: each direction ends by itself.
    this.#server = connect({ host: target.host, port: target.port, allowHalfOpen: true, noDelay: true });
    this.#requests = new Pipe(this.#server);
    this.#replies = new Pipe(client);
    this.apply(fault);
    client.on("data", (chunk: Buffer) => listener.request(chunk, (passed) => this.#requests.push(passed)));
    this.#server.on("data", (chunk: Buffer) => this.#replies.push(chunk));
    this.#join(client, this.#requests);
    this.#join(this.#server, this.#replies);
    let open = 2;
    for (const socket of [client, this.#server])
      socket.once("close", () => {
        open -= 1;
        if (open === 0) listener.closed();
      });
  }

  /** Puts a fault into effect, or ends it. A stream that lost bytes cannot go on: it is reset when the fault ends. */
  apply(fault: LinkFault | undefined): void {
    if (this.#stranded) return;
    if (fault === undefined && (this.#requests.lost || this.#replies.lost || this.#halved)) {
      this.reset();
      return;
    }
    this.#requests.mode = requestMode(fault);
    this.#replies.mode = replyMode(fault);
    if (fault?.type === "half-open") {
      this.#halved = true;
      this.#server.destroy();
    }
  }

  /** Whatever its fault is, it stays. */
  strand(): void {
    this.#stranded = true;
  }

  /** Ends the client's side at once, with a reset packet. */
  resetClient(): void {
    sever(this.#client);
  }

  /** Ends both sides at once, with a reset packet. */
  reset(): void {
    this.#requests.close();
    this.#replies.close();
    for (const socket of [this.#client, this.#server]) {
      socket.pause();
      // A write that fails at once says so only after this turn.
      setImmediate(() => sever(socket));
    }
  }

  #join(from: Socket, pipe: Pipe): void {
    from.on("end", () => pipe.push(undefined));
    from.on("error", () => {}); // Shows as "close".
    from.on("close", (hadError) => {
      // A broken side breaks the other one, unless the fault keeps it from hearing.
      if (hadError && !this.#halved) pipe.push(undefined);
    });
  }
}

/**
 * Node leaves a socket open for good when it fails while `resetAndDestroy` waits for its last writes (Node 24). So one
 * that is being written to is destroyed instead, which the other side may see as an end; and nothing is read any more
 * that could fail.
 */
function sever(socket: Socket): void {
  const quiet = !socket.connecting && socket.writableLength === 0 && socket.writableEnded === socket.writableFinished;
  if (quiet) socket.resetAndDestroy();
  else socket.destroy();
}

function requestMode(fault: LinkFault | undefined): PipeMode {
  switch (fault?.type) {
    case "delay":
      return { type: "pass", delayMs: fault.delayMs };
    case "stall":
      return { type: "stall" };
    case "drop-requests":
    case "half-open":
      return { type: "discard" };
    default:
      return PASS;
  }
}

function replyMode(fault: LinkFault | undefined): PipeMode {
  switch (fault?.type) {
    case "delay":
      return { type: "pass", delayMs: fault.delayMs };
    case "stall":
    case "stall-replies":
      return { type: "stall" };
    case "swallow-replies":
    case "half-open":
      return { type: "discard" };
    default:
      return PASS;
  }
}

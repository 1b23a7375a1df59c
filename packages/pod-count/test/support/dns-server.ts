import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";
import { type Answer, type DecodedPacket, decode, encode, type Question, TRUNCATED_RESPONSE } from "dns-packet";

/** Response codes of RFC 1035. */
export const RCODE = { ok: 0, serverFailure: 2, noSuchName: 3, refused: 5 } as const;

/** What a question is answered; `silence` for nothing at all. */
export type Reply = "silence" | { readonly rcode?: number; readonly answers?: readonly Answer[] };

/** A question as it came. */
export interface Asked {
  readonly over: "udp" | "tcp";
  readonly question: Question;
}

/** The longest answer over UDP when the client says nothing else. */
const UDP_BYTES = 512;

/** An authoritative DNS server on a free port of the loopback address, over UDP and TCP; the codec is `dns-packet`. */
export class DnsServer {
  readonly asked: Asked[] = [];
  /** What is answered; may be changed at any time. */
  reply: (question: Question) => Reply = () => ({ rcode: RCODE.noSuchName });
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #connections = new Set<Socket>();

  private constructor(udp: UdpSocket, tcp: Server) {
    this.#udp = udp;
    this.#tcp = tcp;
    udp.on("message", (message, { port, address }) => {
      const answer = this.#answer(decode(message), "udp");
      if (answer) udp.send(answer, port, address);
    });
    tcp.on("connection", (socket) => this.#serve(socket));
  }

  static async start(): Promise<DnsServer> {
    const tcp = createServer();
    await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
    const udp = createSocket("udp4");
    // The same port for both, as a resolver expects.
    await new Promise<void>((resolve, reject) => {
      udp.once("error", reject);
      udp.bind((tcp.address() as { port: number }).port, "127.0.0.1", resolve);
    });
    return new DnsServer(udp, tcp);
  }

  /** For the resolver: `127.0.0.1:port`. */
  get address(): string {
    return `127.0.0.1:${this.#udp.address().port}`;
  }

  /** Answers a name with A records. */
  answerA(addresses: readonly string[], ttl: number): void {
    this.reply = ({ name }) => ({ answers: addresses.map((data) => ({ type: "A", name, ttl, data })) });
  }

  async stop(): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    await new Promise<void>((resolve) => this.#tcp.close(() => resolve()));
    await new Promise<void>((resolve) => this.#udp.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#connections.add(socket);
    socket.on("close", () => this.#connections.delete(socket));
    socket.on("error", () => undefined);
    let rest = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const end = 2 + rest.readUInt16BE(0);
        const answer = this.#answer(decode(rest.subarray(2, end)), "tcp");
        rest = rest.subarray(end);
        if (!answer) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      }
    });
  }

  #answer(query: DecodedPacket, over: Asked["over"]): Buffer | undefined {
    const question = query.questions?.[0];
    if (!question) return undefined;
    this.asked.push({ over, question });
    const reply = this.reply(question);
    if (reply === "silence") return undefined;
    const packet = {
      type: "response" as const,
      id: query.id ?? 0,
      flags: (query.flags ?? 0) | (reply.rcode ?? RCODE.ok),
      questions: [question],
      answers: [...(reply.answers ?? [])],
    };
    const answer = encode(packet);
    if (over === "tcp" || answer.length <= UDP_BYTES) return answer;
    return encode({ ...packet, flags: packet.flags | TRUNCATED_RESPONSE, answers: [] });
  }
}

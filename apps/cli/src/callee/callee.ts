import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Runtime, systemRuntime } from "@dt/core";
import { createServerLimit } from "@dt/http/server";
import type { CallBooks } from "@dt-tooling/backends/callee/call-limits";
import { Books, type CalleeStats, type Counts, type Second } from "./books.ts";
import { json } from "./json.ts";
import { draw } from "./lot.ts";
import { Provider } from "./provider/provider.ts";
import { PlainReply, type Reply } from "./reply.ts";
import { type CalleeSettings, LONGEST_TAKES_MS } from "./settings.ts";
import { Workers } from "./workers.ts";

/** What a callee stands on. */
export interface CalleeSurroundings {
  /** Hears of the books of every second in which something happened, when the next such one begins. */
  readonly closed?: (second: Second & Partial<CallBooks>) => void;
  readonly runtime?: Runtime;
}

/**
 * A real HTTP server that can take only so much, and that fails as it is told to. `GET /stats` says what it has
 * seen, `POST /takes?ms=50` changes how long a request takes;
 * every other request is a call.
 */
export class Callee {
  readonly #settings: CalleeSettings;
  readonly #runtime: Runtime;
  readonly #server: Server;
  readonly #books: Books;
  readonly #workers: Workers;
  readonly #provider: Provider | undefined;
  /** Answers that are not sent to the end, on connections that are open. */
  readonly #open = new Set<ServerResponse>();
  /** When the first call came: its phases begin with it. */
  #firstMs: number | undefined;
  #takesMs: number;

  constructor(settings: CalleeSettings, { closed, runtime = systemRuntime }: CalleeSurroundings = {}) {
    const { takesMs, capacity, queue, provider, rate } = settings;
    this.#settings = settings;
    this.#runtime = runtime;
    this.#takesMs = takesMs;
    this.#books = new Books(runtime, (second) => closed?.({ ...second, ...this.#provider?.books() }));
    this.#workers = new Workers(capacity, queue, runtime);
    this.#provider = provider && new Provider(provider, rate, runtime);
    const answer = this.#provider ? this.#serveCall(this.#provider) : this.#servePlain();
    this.#server = createServer((request, response) => {
      this.#open.add(response);
      response.once("close", () => this.#open.delete(response));
      if (this.#control(request, response)) request.resume();
      else answer(request, response);
    });
    // Longer than clients keep theirs: none finds a connection closed that it is about to use.
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Begins to listen; returns the address. Rejects when the port is taken. */
  async listen(): Promise<string> {
    this.#server.listen(this.#settings.port, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  stats(): CalleeStats {
    return { ...this.#books.stats(this.#workers.longestQueue), ...this.#provider?.books() };
  }

  /** Accepts nothing more and closes every connection, also of those that hang. After it the books are complete. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    // The server's event comes before those of its connections, in which requests are counted.
    const unanswered = [...this.#open].map((response) => new Promise((resolve) => response.once("close", resolve)));
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.all([closed, ...unanswered]);
  }

  /** Every request is a call. */
  #servePlain(): RequestListener {
    const { rate } = this.#settings;
    const policies = rate ? [{ name: "rate", rate: `${rate.count}/${rate.intervalMs}ms` as const }] : [];
    const call = createServerLimit({ policies, runtime: this.#runtime }).node((request, response) =>
      this.#work(request, response, new PlainReply(response)),
    );
    return (request, response) => {
      request.resume();
      this.#receive(response);
      call(request, response);
    };
  }

  /** A call is what a client of a provider sends. */
  #serveCall(provider: Provider): RequestListener {
    return (request, response) => {
      const received = (): void => this.#receive(response);
      const work = (reply: Reply): void => this.#work(request, response, reply);
      void provider.serve(request, response, { received, work });
    };
  }

  #receive(response: ServerResponse): void {
    this.#books.count("received");
    response.once("finish", () => {
      if (response.statusCode === 429) this.#books.count("refused");
    });
  }

  /** Answers what is no call; true if it was none. */
  #control({ method, url = "/" }: IncomingMessage, response: ServerResponse): boolean {
    if (method === "GET" && url === "/stats") {
      json(response, 200, this.stats());
      return true;
    }
    if (method !== "POST" || !/^\/takes(\?|$)/.test(url)) return false;
    this.#take(new URLSearchParams(url.slice("/takes".length)).get("ms") ?? "", response);
    return true;
  }

  #take(ms: string, response: ServerResponse): void {
    const takesMs = ms.trim() === "" ? Number.NaN : Number(ms);
    if (takesMs >= 0 && takesMs <= LONGEST_TAKES_MS) {
      this.#takesMs = takesMs;
      json(response, 200, { takesMs });
    } else
      json(response, 400, { error: `ms is ${JSON.stringify(ms)}; give milliseconds from 0 to ${LONGEST_TAKES_MS}` });
  }

  /** A call that the limits let through. */
  #work(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    const nowMs = this.#runtime.now();
    this.#firstMs ??= nowMs;
    const lot = draw(this.#settings, this.#takesMs, nowMs - this.#firstMs, () => this.#runtime.random());
    // In a phase that throttles nothing passes before its end: that is when to come again.
    if (lot.fate === "throttle") {
      reply.throttle(lot.phaseEndsInMs ?? 1_000);
      return;
    }
    let told = false;
    const count = (what: keyof Counts): void => {
      if (!told) this.#books.count(what);
      told = true;
    };
    const { finishesAll } = this.#settings;
    let giveUp = (): void => undefined;
    response.once("close", () => {
      if (lot.fate === "hang") count("hung");
      else if (finishesAll) return;
      else count("gone");
      giveUp();
      reply.abandon();
    });
    if (lot.fate === "hang") return;
    const done = (waitedMs: number): Promise<void> | undefined => {
      if (this.#settings.serverTiming) response.setHeader("Server-Timing", `queue;dur=${waitedMs.toFixed(3)}`);
      if (lot.fate === "cut") {
        count("cut");
        return reply.cut();
      }
      if (lot.fate === "fail") {
        count("failed");
        reply.fail();
        return undefined;
      }
      return reply.accept(() => {
        told = true;
        this.#books.accepted(this.#idOf(request));
      });
    };
    const entered = this.#workers.enter({ takesMs: lot.takesMs, done });
    if (entered) giveUp = entered;
    else {
      count("shed");
      reply.shed();
    }
  }

  #idOf(request: IncomingMessage): string | undefined {
    const value = this.#settings.ids === undefined ? undefined : request.headers[this.#settings.ids];
    return Array.isArray(value) ? value.join(", ") : value;
  }
}

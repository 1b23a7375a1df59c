import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServerLimit } from "@dt/http/server";
import { Books, type CalleeStats, type Counts, type Second } from "./books.ts";
import { type CalleeSettings, type Fate, LONGEST_TAKES_MS } from "./settings.ts";
import { Workers } from "./workers.ts";

/**
 * A real HTTP server that can take only so much, and that fails as it is told to. `GET /stats` says what it has
 * seen, `POST /takes?ms=50` changes how long a request takes;
 * every other request is a call.
 */
export class Callee {
  readonly #settings: CalleeSettings;
  readonly #server: Server;
  readonly #books: Books;
  readonly #workers: Workers;
  /** When the first call came: its phases begin with it. */
  #firstMs: number | undefined;
  #takesMs: number;

  /** @param closed hears of the books of every second in which something happened */
  constructor(settings: CalleeSettings, closed?: (second: Second) => void) {
    this.#settings = settings;
    this.#takesMs = settings.takesMs;
    this.#books = new Books(closed);
    this.#workers = new Workers(settings.capacity, settings.queue);
    const { rate } = settings;
    const policies = rate ? [{ name: "rate", rate: `${rate.count}/${rate.intervalMs}ms` as const }] : [];
    const call = createServerLimit({ policies }).node((request, response) => this.#work(request, response));
    this.#server = createServer((request, response) => {
      request.resume();
      this.#serve(request, response, call);
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
    return this.#books.stats(this.#workers.longestQueue);
  }

  /** Accepts nothing more and closes every connection, also of those that hang. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #serve(request: IncomingMessage, response: ServerResponse, call: RequestListener<typeof IncomingMessage>): void {
    if (this.#control(request, response)) return;
    this.#books.count("received");
    response.once("finish", () => {
      if (response.statusCode === 429) this.#books.count("refused");
    });
    call(request, response as Parameters<typeof call>[1]);
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

  /** A call that the rate lets through. */
  #work(request: IncomingMessage, response: ServerResponse): void {
    const nowMs = performance.now();
    this.#firstMs ??= nowMs;
    const lot = draw(this.#settings, this.#takesMs, nowMs - this.#firstMs, Math.random);
    if (lot.fate === "throttle") {
      throttle(response, lot.phaseEndsInMs);
      return;
    }
    let told = false;
    const count = (what: keyof Counts): void => {
      if (!told) this.#books.count(what);
      told = true;
    };
    const { finishesAll } = this.#settings;
    response.once("close", () => {
      if (lot.fate === "hang") count("hung");
      else if (!finishesAll) count("gone");
    });
    if (lot.fate === "hang") return;
    const done = (waitedMs: number): void => {
      if (this.#settings.serverTiming) response.setHeader("Server-Timing", `queue;dur=${waitedMs.toFixed(3)}`);
      if (lot.fate === "cut") {
        count("cut");
        cut(response);
      } else if (lot.fate === "fail") {
        count("failed");
        json(response, 500, { error: "failed, as the options state" });
      } else {
        told = true;
        this.#books.accepted(this.#idOf(request));
        json(response, 200, { ok: true });
      }
    };
    const giveUp = this.#workers.enter({ takesMs: lot.takesMs, done });
    if (giveUp) {
      if (!finishesAll) response.once("close", giveUp);
    } else {
      count("shed");
      response.setHeader("Retry-After", "1");
      json(response, 503, { error: "too many requests wait for a worker" });
    }
  }

  #idOf(request: IncomingMessage): string | undefined {
    const value = this.#settings.ids === undefined ? undefined : request.headers[this.#settings.ids];
    return Array.isArray(value) ? value.join(", ") : value;
  }
}

/** In a phase that throttles nothing passes before its end: that is when to come again. */
function throttle(response: ServerResponse, phaseEndsInMs: Lot["phaseEndsInMs"]): void {
  response.setHeader("Retry-After", Math.max(1, Math.ceil((phaseEndsInMs ?? 1_000) / 1_000)));
  json(response, 429, { error: "throttled, as the options state" });
}

/** Half an answer, and the end of the connection. */
function cut(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 1_000 });
  response.write("{", () => response.destroy());
}

function json(response: ServerResponse, status: number, value: object): void {
  const body = `${JSON.stringify(value)}\n`;
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

/** What befalls one request, how long it takes at a worker, and for how much longer its phase lasts. */
interface Lot {
  readonly fate: Fate;
  readonly takesMs: number;
  readonly phaseEndsInMs: number | undefined;
}

/**
 * Draws the lot of a request. A phase decides for all of its requests; where it says `ok`, and without phases,
 * chance does.
 * @param sinceMs milliseconds since its first request
 */
function draw(settings: CalleeSettings, takesMs: number, sinceMs: number, random: () => number): Lot {
  const lasts = settings.exponential ? -Math.log(1 - random()) * takesMs : takesMs;
  const { phase, endsInMs: phaseEndsInMs } = phaseAt(settings, sinceMs);
  if (phase !== undefined && phase.fate !== "ok")
    return { fate: phase.fate, takesMs: phase.takesMs ?? (phase.fate === "slow" ? 10 * lasts : lasts), phaseEndsInMs };
  const { hang, fail, slow } = settings;
  const chance = random();
  if (chance < hang) return { fate: "hang", takesMs: lasts, phaseEndsInMs };
  if (chance < hang + fail) return { fate: "fail", takesMs: lasts, phaseEndsInMs };
  if (slow && chance < hang + fail + slow.part) return { fate: "slow", takesMs: slow.takesMs, phaseEndsInMs };
  return { fate: "ok", takesMs: lasts, phaseEndsInMs };
}

function phaseAt({ phases }: CalleeSettings, sinceMs: number) {
  const roundMs = phases.reduce((sum, { lastsMs }) => sum + lastsMs, 0);
  let leftMs = roundMs === 0 ? 0 : sinceMs % roundMs;
  for (const phase of phases) {
    if (leftMs < phase.lastsMs) return { phase, endsInMs: phase.lastsMs - leftMs };
    leftMs -= phase.lastsMs;
  }
  return { phase: undefined, endsInMs: undefined };
}

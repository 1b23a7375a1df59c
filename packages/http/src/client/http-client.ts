import type { Duration, Listener } from "@dt/core";
import { checkDuration, type Events } from "@dt/core/internal";
import type { CalleeStatus } from "./callee.ts";
import { Callees } from "./callees.ts";
import { type HttpClientEvents, httpClientEvents } from "./events.ts";
import { Exchange } from "./exchange.ts";
import { GuardedFetch } from "./guarded-fetch.ts";
import { checkHttpClient, type HttpClientOptions, type HttpClientSettings } from "./options.ts";
import type { Interceptor } from "./undici.ts";

/**
 * Sends requests as their callees can take them: waits for tokens, permits and slots. It stops all requests to a callee
 * that asks for a pause, and makes requests again that may be made again. Made by {@link createHttpClient}.
 */
export class HttpClient {
  /** The client's name. */
  readonly name: string;
  readonly #callees: Callees;
  readonly #events: Events<HttpClientEvents>;
  readonly #settings: HttpClientSettings;

  /** Use {@link createHttpClient}. */
  constructor(settings: HttpClientSettings) {
    this.name = settings.name;
    this.#settings = settings;
    this.#events = httpClientEvents(settings.name);
    this.#callees = new Callees(settings, this.#events);
    const guarded = new GuardedFetch(this.#callees, settings);
    this.fetch = async (input, init = {}) => guarded.call(input, init);
  }

  /**
   * `fetch`, for whatever takes one. Rejects as `fetch` does, and with a DtError: `DT_TIMEOUT` when the request
   * could not go out within `acquireTimeout`, `DT_LIMITED`, `DT_QUEUE_FULL`, `DT_STOPPED`. Read the body of every
   * answer, or cancel it: until then the request is in flight, its socket is taken, and its slot of the limit too,
   * until `bodyTimeout`.
   */
  readonly fetch: typeof fetch;

  /**
   * The same for undici: `new Agent().compose(client.interceptor)`. Put it behind those that follow redirects or cache,
   * so that it sees what goes out.
   */
  readonly interceptor: Interceptor = (dispatch) => (options, handler) =>
    new Exchange(this.#callees, this.#settings, dispatch, options, handler).start();

  /**
   * Sends nothing to a callee for so long, and `maxPause` at most.
   * @param callee its name, by default an origin such as `https://api.example.com`
   * @param duration milliseconds, or text such as `"2s"`
   * @throws DtError `DT_INVALID_OPTION`
   */
  pause(callee: string, duration: Duration): void {
    this.#callees.named(callee).pause(checkDuration("pause", duration, 0));
  }

  /** What is known of every callee, as data. */
  status(): readonly CalleeStatus[] {
    return [...this.#callees].map((callee) => callee.status());
  }

  /**
   * Listens to an event. Events cost nothing without a listener.
   * @param name the event's name
   * @param listener the function that receives the event's data
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<E extends keyof HttpClientEvents>(name: E, listener: Listener<HttpClientEvents[E]>): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Refuses requests that wait to go out, and further ones, with `DT_STOPPED`. Those in flight go on. Throttles, pacers
   * and limits that were handed in are not stopped. Idempotent.
   */
  async stop(): Promise<void> {
    await this.#callees.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Creates an HTTP client: a `fetch` and an undici interceptor that share what they know of each callee. Requests that
 * should pause together should go through one client.
 * @param options what holds requests back, and how answers are read
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const client = createHttpClient();
 * const response = await client.fetch("https://api.example.com/orders");
 */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  return new HttpClient(checkHttpClient(options));
}

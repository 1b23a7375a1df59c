import { type Slot, statusOutcome } from "@dt/adaptive";
import { isDtError, type Listener } from "@dt/core";
import { expressMiddleware, type Middleware } from "./adapters/express.ts";
import { type FastifyHook, fastifyHook } from "./adapters/fastify.ts";
import { type FetchWrapper, fetchHandler } from "./adapters/fetch.ts";
import { type HonoAdapter, honoMiddleware } from "./adapters/hono.ts";
import { type NodeListener, nodeListener } from "./adapters/node.ts";
import type { Admission, Refused } from "./admission.ts";
import type { ServerLimitEvent, ServerLimitEvents } from "./events.ts";
import { type Field, rateLimitFields, secondsUntil } from "./fields.ts";
import { checkServerLimit, type ServerLimitOptions, type ServerLimitSettings } from "./options.ts";
import type { Denied, Policy } from "./policies/policy.ts";
import { type RequestFacts, valueFor } from "./request-facts.ts";
import type { Refusal, Standing } from "./standing.ts";
import type { ServerLimitStatus } from "./status.ts";

/** What a request has of the server so far; all of it goes back when it is refused. */
interface Taken {
  readonly policies: (() => void)[];
  /** To be called when the answer was sent. */
  readonly ends: (() => void)[];
  /** How it stands with those policies that only tell whom they were asked for. */
  readonly standings: Map<string, Standing>;
  slot: Slot | undefined;
  waitedMs: number;
}

/** Decides which requests a server works on, and reports its limits in headers. Made by {@link createServerLimit}. */
export class ServerLimit<Raw = unknown> {
  readonly #settings: ServerLimitSettings<Raw>;
  readonly #policies: readonly Policy<Raw>[];
  readonly #tellsWait: boolean;
  #allowed = 0;
  #refused = 0;
  #shed = 0;
  #gone = 0;
  #waiting = 0;

  /** Use {@link createServerLimit}. */
  constructor(settings: ServerLimitSettings<Raw>) {
    this.#settings = settings;
    this.#policies = [...settings.quotas, ...settings.keyed, ...settings.shared];
    this.#tellsWait = settings.limit !== undefined || this.#policies.some(({ waits }) => waits);
  }

  /** For `http.createServer`: a listener that works on requests that may be. */
  readonly node: NodeListener = nodeListener(this);
  /** For `app.use` of Express, and of whatever has `(request, response, next)`. */
  readonly express: () => Middleware = expressMiddleware(this);
  /** For `app.addHook("onRequest", ...)` of Fastify, or the `onRequest` of one route. */
  readonly fastify: () => FastifyHook = fastifyHook(this);
  /** For handlers that take a `Request` and give a `Response`. */
  readonly fetch: FetchWrapper = fetchHandler(this);
  /** For `app.use` of Hono. */
  readonly hono: HonoAdapter = honoMiddleware(this);

  /**
   * Decides on one request; for servers that none of the adapters fits. Waits as long as a slot and policies may be
   * waited for.
   * @param signal aborts when the client is gone: its place is free for others
   * @param request what is known of the request
   * @returns headers for the answer and a function to be called when it was sent, or the answer of a refused request
   * @throws the signal's reason, and the error of a key, a cost or a priority
   */
  async admit(request: RequestFacts<Raw>, signal?: AbortSignal): Promise<Admission> {
    const taken: Taken = { policies: [], ends: [], standings: new Map(), slot: undefined, waitedMs: 0 };
    try {
      const refusal =
        this.#count(request, taken) ??
        (await this.#askEach(this.#settings.keyed, request, taken, signal)) ??
        (await this.#awaitSlot(request, taken, signal)) ??
        (await this.#askEach(this.#settings.shared, request, taken, signal));
      if (signal?.aborted) throw signal.reason;
      if (refusal === undefined) return this.#admitted(request, taken);
      giveBack(taken);
      return this.#turnedAway(request, refusal, taken);
    } catch (error) {
      giveBack(taken);
      if (signal?.aborted) this.#gone += 1;
      throw error;
    }
  }

  /** What has happened so far, and how many keys are remembered, as data. */
  status(): ServerLimitStatus {
    const books = this.#settings.quotas.map(({ name, books: { keys, forgotten } }) => [name, { keys, forgotten }]);
    return {
      allowed: this.#allowed,
      refused: this.#refused,
      shed: this.#shed,
      gone: this.#gone,
      waiting: this.#waiting,
      quotas: Object.fromEntries(books),
      keyed: this.#settings.watch.status(),
    };
  }

  /**
   * Listens to an event.
   * @param event its name, as in {@link ServerLimitEvents}
   * @param listener called with the event
   * @returns the function that ends the listening
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   * @example limit.on("storeLost", ({ policy, error }) => log.warn(`${policy} is not counted: ${error.message}`))
   */
  on<E extends ServerLimitEvent>(event: E, listener: Listener<ServerLimitEvents[E]>): () => void {
    return this.#settings.events.on(event, listener);
  }

  /** Counts it in all quotas, or in none. Nothing happens in between: no other request can come. */
  #count(request: RequestFacts<Raw>, taken: Taken): Refusal | undefined {
    const violated: string[] = [];
    const denials: Denied[] = [];
    for (const quota of this.#settings.quotas) {
      const answer = quota.ask(request);
      if (answer.granted) taken.policies.push(answer.giveBack);
      else {
        violated.push(quota.name);
        denials.push(answer);
      }
    }
    if (denials.length === 0) return undefined;
    return { cause: "quota", violated, retryAfterMs: latestOf(denials) };
  }

  async #awaitSlot(
    request: RequestFacts<Raw>,
    taken: Taken,
    signal: AbortSignal | undefined,
  ): Promise<Refusal | undefined> {
    const { limit, priority, partition, acquireTimeoutMs } = this.#settings;
    if (limit === undefined) return undefined;
    const options = {
      priority: valueFor(priority, request),
      partition: valueFor(partition, request),
      timeout: acquireTimeoutMs,
      signal,
    };
    try {
      taken.slot = await this.#timed(taken, limit.acquire(1, options));
    } catch (error) {
      // The line is full, somebody more important took the place, or the limit was stopped.
      if (!isDtError(error) || error.code === "DT_INVALID_OPTION") throw error;
    }
    if (taken.slot !== undefined) return undefined;
    return { cause: "capacity", violated: [limit.name], retryAfterMs: this.#settings.comeBackMs() };
  }

  async #askEach(
    policies: readonly Policy<Raw>[],
    request: RequestFacts<Raw>,
    taken: Taken,
    signal: AbortSignal | undefined,
  ): Promise<Refusal | undefined> {
    for (const policy of policies) {
      const answer = await this.#timed(taken, policy.ask(request, signal));
      if (answer.standing) taken.standings.set(policy.name, answer.standing);
      if (!answer.granted) return { cause: answer.cause, violated: [policy.name], retryAfterMs: answer.retryAfterMs };
      taken.policies.push(answer.giveBack);
      if (answer.ended) taken.ends.push(answer.ended);
    }
    return undefined;
  }

  /** Counts who waits, and adds up how long. */
  async #timed<T>(taken: Taken, answer: T | Promise<T>): Promise<T> {
    const { runtime } = this.#settings;
    const sinceMs = runtime.now();
    this.#waiting += 1;
    try {
      return await answer;
    } finally {
      this.#waiting -= 1;
      taken.waitedMs += runtime.now() - sinceMs;
    }
  }

  #admitted(request: RequestFacts<Raw>, taken: Taken): Admission {
    this.#allowed += 1;
    let open = true;
    const done = (status?: number): void => {
      if (!open) return;
      open = false;
      if (status === undefined) this.#gone += 1;
      for (const end of taken.ends) end();
      taken.slot?.settle(statusOutcome(status) ?? "ignored");
    };
    return { allowed: true, fields: this.#fields(request, undefined, taken), done };
  }

  #turnedAway(request: RequestFacts<Raw>, refusal: Refusal, taken: Taken): Refused {
    if (refusal.cause === "quota") this.#refused += 1;
    else this.#shed += 1;
    const { status, body } = problemOf(refusal);
    const fields: Field[] = [...this.#fields(request, refusal, taken), ["Content-Type", "application/problem+json"]];
    if (refusal.retryAfterMs !== undefined) fields.push(["Retry-After", String(secondsUntil(refusal.retryAfterMs))]);
    return { allowed: false, status, fields, body };
  }

  #fields(request: RequestFacts<Raw>, refusal: Refusal | undefined, taken: Taken): Field[] {
    const { waitedMs } = taken;
    const forms = this.#settings.fields;
    const standingOf = (policy: Policy<Raw>) => policy.standing(request) ?? taken.standings.get(policy.name) ?? [];
    const standings = forms.length === 0 ? [] : this.#policies.flatMap(standingOf);
    const fields = rateLimitFields(standings, forms, refusal?.violated[0]);
    if (this.#tellsWait) fields.push(["Server-Timing", `queue;dur=${waitedMs.toFixed(1)}`]);
    return fields;
  }
}

/**
 * Creates a limit for a server: which requests it works on, which it refuses, and the reports that its clients receive.
 * @param options the policies, and what the server can work on at once
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const limit = createServerLimit({
 *   policies: [{ name: "per-client", rate: "100/min", key: ({ address }) => address }],
 * });
 * createServer(limit.node((request, response) => response.end("hello")));
 */
export function createServerLimit<Raw = unknown>(options: ServerLimitOptions<Raw>): ServerLimit<Raw> {
  return new ServerLimit(checkServerLimit(options));
}

function giveBack({ policies, slot }: Taken): void {
  for (const back of policies) back();
  slot?.settle("ignored");
}

/** When all of them let it through; undefined when one never does. */
function latestOf(denials: readonly Denied[]): number | undefined {
  const times = denials.map(({ retryAfterMs }) => retryAfterMs ?? Number.POSITIVE_INFINITY);
  const latest = Math.max(...times);
  return latest === Number.POSITIVE_INFINITY ? undefined : latest;
}

const TYPES = "https://iana.org/assignments/http-problem-types#";

/** What a refused request is answered with. */
interface Problem {
  readonly status: 429 | 503;
  /** `application/problem+json`. */
  readonly body: string;
}

/** The problem types are those of the IETF's draft on RateLimit fields; what they look like is RFC 9457. */
function problemOf({ cause, violated }: Refusal): Problem {
  const status = cause === "quota" ? 429 : 503;
  const type = cause === "quota" ? "quota-exceeded" : "temporary-reduced-capacity";
  const title =
    cause === "quota"
      ? "Request cannot be satisfied as assigned quota has been exceeded"
      : "Request cannot be satisfied due to temporary server capacity constraints";
  return { status, body: JSON.stringify({ type: TYPES + type, title, status, "violated-policies": violated }) };
}

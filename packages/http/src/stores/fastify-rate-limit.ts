import { invalidOption } from "@dt/core/internal";
import { HitCounter } from "./hit-counter.ts";
import { checkHitStore, type HitStoreOptions, type HitStoreSettings } from "./options.ts";

/** How a key stands, as `@fastify/rate-limit` reads it. */
export interface FastifyHits {
  /** Hits of the window that runs, those that were refused among them. */
  current: number;
  /** When the window ends, in milliseconds from now. */
  ttl: number;
}

/** How `@fastify/rate-limit` takes an answer. */
export type FastifyHitsCallback = (error: Error | null, hits?: FastifyHits) => void;

/** What is used of the options of a route. */
export interface FastifyRouteLike {
  /** The route that they are of. */
  readonly routeInfo?: { readonly method?: string | readonly string[]; readonly url?: string } | undefined;
  /** Not possible here: a window ends when it ends. */
  readonly continueExceeding?: boolean | undefined;
  /** Not possible here: a window ends when it ends. */
  readonly exponentialBackoff?: boolean | undefined;
}

/** A store for `@fastify/rate-limit`: the fleet counts together. Its class is made by {@link fastifyRateLimitStore}. */
export class FastifyRateLimitStore {
  readonly #settings: HitStoreSettings;
  readonly #name: string;
  readonly #counter: HitCounter;
  #children = 0;

  /** Use {@link fastifyRateLimitStore}. */
  constructor(settings: HitStoreSettings, name: string, route: FastifyRouteLike) {
    for (const option of ["continueExceeding", "exponentialBackoff"] as const)
      if (route[option]) throw invalidOption(option, true, "leave it out: hits are counted in fixed windows");
    this.#settings = settings;
    this.#name = name;
    this.#counter = new HitCounter(settings, name);
  }

  /**
   * Counts a hit.
   * @param key whose
   * @param callback takes the hits of the key, or the store's error
   * @param timeWindow the window's length, in milliseconds
   */
  incr(key: string, callback: FastifyHitsCallback, timeWindow: number): void {
    this.#count(key, 1, callback, timeWindow);
  }

  /**
   * The hits of a key; counts nothing.
   * @param key whose
   * @param callback takes the hits of the key, or the store's error
   * @param timeWindow the window's length, in milliseconds
   */
  read(key: string, callback: FastifyHitsCallback, timeWindow: number): void {
    this.#count(key, 0, callback, timeWindow);
  }

  /**
   * The store of one route, which counts for itself.
   * @param options the route's
   * @throws DtError `DT_INVALID_OPTION` for `continueExceeding` and `exponentialBackoff`
   */
  child(options: object): FastifyRateLimitStore {
    const route = options as FastifyRouteLike;
    return new FastifyRateLimitStore(this.#settings, `${this.#name} ${this.#nameOf(route)}`, route);
  }

  /** All processes make their limiters in the same order, so one without a route has its number. */
  #nameOf({ routeInfo: { method, url } = {} }: FastifyRouteLike): string {
    if (url !== undefined) return `${[method ?? "*"].flat().join(",")} ${url}`;
    this.#children += 1;
    return `#${this.#children}`;
  }

  #count(key: string, by: number, callback: FastifyHitsCallback, windowMs: number): void {
    this.#counter.count(String(key), by, windowMs).then(
      ({ hits, resetMs }) => callback(null, { current: hits, ttl: resetMs }),
      (error: Error) => callback(error),
    );
  }
}

/**
 * A store for `@fastify/rate-limit`: hits are counted for the whole fleet, in fixed windows on the store's clock. Each
 * route that has options of its own counts for itself.
 * @param options `store` and `name`; the rest has defaults
 * @returns the class that the plugin makes a store of
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * const hits = fastifyRateLimitStore({ store, name: "api" });
 * await app.register(rateLimit, { max: 100, timeWindow: "1 minute", store: hits });
 */
export function fastifyRateLimitStore(options: HitStoreOptions): new (plugin?: object) => FastifyRateLimitStore {
  const settings = checkHitStore(options);
  return class extends FastifyRateLimitStore {
    constructor(plugin: object = {}) {
      super(settings, settings.name, plugin);
    }
  };
}

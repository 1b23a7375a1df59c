import { checkInteger, invalidOption, LONGEST_WINDOW_MS } from "@dt/core/internal";
import { HitCounter, type Hits } from "./hit-counter.ts";
import { checkHitStore, type HitStoreOptions, type HitStoreSettings } from "./options.ts";

/** How a key stands, as express-rate-limit reads it. */
export interface ExpressHits {
  /** Hits of the window that runs, those that were refused among them. */
  totalHits: number;
  /** When the window ends, by this process's clock. */
  resetTime: Date;
}

/**
 * A store for [express-rate-limit](https://www.npmjs.com/package/express-rate-limit), and for limiters with the same
 * interface, such as hono-rate-limiter: the fleet counts together. Made by {@link expressRateLimitStore}.
 */
export class ExpressRateLimitStore {
  /** Other instances count the same keys: a store that processes share. */
  readonly localKeys = false;
  /** Keeps apart two limiters that count the same request. */
  readonly prefix: string;
  readonly #wallTimeMs: () => number;
  readonly #counter: HitCounter;
  #windowMs: number | undefined;

  /** Use {@link expressRateLimitStore}. */
  constructor(settings: HitStoreSettings) {
    const { runtime } = settings;
    const { wallTimeMs } = runtime;
    if (!wallTimeMs) throw invalidOption("runtime", runtime, "give one with wallTimeMs: windows end at a date");
    this.#wallTimeMs = () => wallTimeMs.call(runtime);
    this.#counter = new HitCounter(settings);
    this.prefix = `${settings.name}/`;
  }

  /**
   * Takes the length of the window from the middleware.
   * @param options the middleware's
   * @throws DtError `DT_INVALID_OPTION`
   */
  init({ windowMs }: { readonly windowMs: number }): void {
    this.#windowMs = checkInteger("windowMs", windowMs, 1, LONGEST_WINDOW_MS);
  }

  /**
   * The hits of a key; undefined where no window runs. Counts nothing.
   * @param key whose
   * @throws DtError the store's
   */
  async get(key: string): Promise<ExpressHits | undefined> {
    const found = await this.#count(key, 0);
    return found.resetMs > 0 ? this.#told(found) : undefined;
  }

  /**
   * Counts a hit.
   * @param key whose
   * @throws DtError the store's
   */
  async increment(key: string): Promise<ExpressHits> {
    return this.#told(await this.#count(key, 1));
  }

  /**
   * Takes a hit back.
   * @param key whose
   * @throws DtError the store's
   */
  async decrement(key: string): Promise<void> {
    await this.#count(key, -1);
  }

  /**
   * Forgets the hits of a key.
   * @param key whose
   * @throws DtError the store's
   */
  resetKey(key: string): Promise<void> {
    return this.#counter.reset(key);
  }

  async #count(key: string, by: number): Promise<Hits> {
    if (this.#windowMs === undefined)
      throw invalidOption("windowMs", undefined, "call init({ windowMs }) first, as express-rate-limit does");
    return this.#counter.count(key, by, this.#windowMs);
  }

  #told({ hits, resetMs }: Hits): ExpressHits {
    return { totalHits: hits, resetTime: new Date(this.#wallTimeMs() + resetMs) };
  }
}

/**
 * A store for express-rate-limit: hits are counted for the whole fleet, in fixed windows on the store's clock.
 * @param options `store` and `name`; the rest has defaults
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 * @example
 * app.use(rateLimit({ windowMs: 60_000, limit: 100, store: expressRateLimitStore({ store, name: "api" }) }));
 */
export function expressRateLimitStore(options: HitStoreOptions): ExpressRateLimitStore {
  return new ExpressRateLimitStore(checkHitStore(options));
}

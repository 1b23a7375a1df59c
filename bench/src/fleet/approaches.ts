import type { Shares, Throttle } from "@dt/core";
import type { Allowance, WorkerSettings } from "./plan.ts";

/** A way to keep a fleet within the limit of a callee that counts in a sliding window. */
export interface Approach {
  readonly name: string;
  /** The package it is of; none for one of our own. */
  readonly package?: string;
  /** How it is set, so that nothing is refused. */
  settings(callee: Allowance): string;
  open(settings: WorkerSettings): Promise<FleetLimiter>;
}

export interface FleetLimiter {
  /** Waits until a call may be made, and makes it; false when as many wait already as may. */
  run(call: () => Promise<void>): Promise<boolean>;
}

const KEY = "fleet";
const INTERVAL_MS = 1_000;

/**
 * What may be granted in a second. Any window lies in one second more than it is long: these together have no more than
 * is allowed.
 */
function perSecond({ limit, windowMs }: Allowance): number {
  return Math.floor(limit / (windowMs / INTERVAL_MS + 1));
}

/** Between two calls that are evenly spaced: 1 % more than the callee's limit asks for. */
function distanceMs({ limit, windowMs }: Allowance): number {
  return Math.ceil((1_010 * windowMs) / limit) / 1_000;
}

/** False when it fails as it may. */
async function unless(mayFail: (error: unknown) => boolean, run: Promise<void>): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (error) {
    if (mayFail(error)) return false;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean => (error as { readonly code?: unknown }).code === code;
const isQueueFull = (error: unknown): boolean => hasCode(error, "DT_QUEUE_FULL");

/** The group is under way. On a busy machine no round trip may have been short enough yet to know the store's clock. */
async function firstToken(throttle: Throttle): Promise<void> {
  const token = (): Promise<void> => throttle.acquire().then(() => undefined);
  let has = false;
  while (!has) has = await unless((error) => hasCode(error, "DT_STORE_SLOW"), token());
}

function throttle(shares: Shares): Approach {
  return {
    name: shares,
    settings: (callee) => `createThrottle: max ${perSecond(callee)}, interval 1 s, shares "${shares}"`,
    open: async ({ callee, line, redisUrl }) => {
      const [{ createThrottle }, { redisStore }] = await Promise.all([import("@dt/core"), import("@dt/redis")]);
      const store = redisStore({ url: redisUrl });
      const max = perSecond(callee);
      const made = createThrottle({ group: KEY, max, interval: INTERVAL_MS, shares, maxWaiters: line, store });
      await made.start();
      await firstToken(made);
      return {
        run: (call) => unless(isQueueFull, made.acquire().then(call)),
      };
    },
  };
}

/** Ours first. */
export const approaches: readonly Approach[] = [
  throttle("even"),
  throttle("demand"),
  {
    name: "pacer",
    settings: (callee) => `createPacer: every ${distanceMs(callee)} ms, first come, first served`,
    open: async ({ callee, line, redisUrl }) => {
      const [{ createPacer }, { redisStore }] = await Promise.all([import("@dt/core"), import("@dt/redis")]);
      const store = redisStore({ url: redisUrl });
      const pacer = createPacer({ key: KEY, every: distanceMs(callee), maxWaiters: line, store });
      return {
        run: (call) => unless(isQueueFull, pacer.acquire().then(call)),
      };
    },
  },
  {
    name: "rate-limiter-flexible",
    package: "rate-limiter-flexible",
    settings: (callee) => `RateLimiterRedis: points ${perSecond(callee)}, duration 1 s; behind its RateLimiterQueue`,
    open: async ({ callee, line, redisUrl }) => {
      const [{ RateLimiterQueue, RateLimiterQueueError, RateLimiterRedis }, { Redis }] = await Promise.all([
        import("rate-limiter-flexible"),
        import("ioredis"),
      ]);
      const storeClient = new Redis(redisUrl);
      const limiter = new RateLimiterRedis({ storeClient, points: perSecond(callee), duration: INTERVAL_MS / 1_000 });
      const queue = new RateLimiterQueue(limiter, { maxQueueSize: line });
      return {
        run: (call) => unless((error) => error instanceof RateLimiterQueueError, queue.removeTokens(1, KEY).then(call)),
      };
    },
  },
  {
    name: "bottleneck",
    package: "bottleneck",
    settings: (callee) => `clustering with ioredis: minTime ${distanceMs(callee)} ms; the line is counted before it`,
    open: async ({ callee, line, redisUrl }) => {
      const [{ default: Bottleneck }, { Redis }] = await Promise.all([import("bottleneck"), import("ioredis")]);
      const { hostname: host, port } = new URL(redisUrl);
      const connection = { datastore: "ioredis", Redis, clientOptions: { host, port: Number(port) } } as const;
      const limiter = new Bottleneck({ id: KEY, minTime: distanceMs(callee), ...connection });
      await limiter.ready();
      let waiting = 0;
      const run = async (call: () => Promise<void>): Promise<boolean> => {
        if (waiting >= line) return false;
        waiting += 1;
        await limiter.schedule(() => {
          waiting -= 1;
          return call();
        });
        return true;
      };
      return { run };
    },
  },
];

import type { Shares } from "@dt/core";
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
  /** Waits until a call may be made, and makes it. */
  run(call: () => Promise<void>): Promise<void>;
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

function throttle(shares: Shares): Approach {
  return {
    name: shares,
    settings: (callee) => `createThrottle: max ${perSecond(callee)}, interval 1 s, shares "${shares}"`,
    open: async ({ callee, redisUrl }) => {
      const [{ createThrottle }, { redisStore }] = await Promise.all([import("@dt/core"), import("@dt/redis")]);
      const store = redisStore({ url: redisUrl });
      const max = perSecond(callee);
      const made = createThrottle({ group: KEY, max, interval: INTERVAL_MS, shares, store });
      await made.start();
      return {
        run: async (call) => {
          await made.acquire();
          await call();
        },
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
    open: async ({ callee, redisUrl }) => {
      const [{ createPacer }, { redisStore }] = await Promise.all([import("@dt/core"), import("@dt/redis")]);
      const pacer = createPacer({ key: KEY, every: distanceMs(callee), store: redisStore({ url: redisUrl }) });
      return {
        run: async (call) => {
          await pacer.acquire();
          await call();
        },
      };
    },
  },
  {
    name: "rate-limiter-flexible",
    package: "rate-limiter-flexible",
    settings: (callee) => `RateLimiterRedis: points ${perSecond(callee)}, duration 1 s; behind its RateLimiterQueue`,
    open: async ({ callee, redisUrl }) => {
      const [{ RateLimiterQueue, RateLimiterRedis }, { Redis }] = await Promise.all([
        import("rate-limiter-flexible"),
        import("ioredis"),
      ]);
      const storeClient = new Redis(redisUrl);
      const limiter = new RateLimiterRedis({ storeClient, points: perSecond(callee), duration: INTERVAL_MS / 1_000 });
      const queue = new RateLimiterQueue(limiter);
      return {
        run: async (call) => {
          await queue.removeTokens(1, KEY);
          await call();
        },
      };
    },
  },
  {
    name: "bottleneck",
    package: "bottleneck",
    settings: (callee) => `clustering with ioredis: minTime ${distanceMs(callee)} ms`,
    open: async ({ callee, redisUrl }) => {
      const [{ default: Bottleneck }, { Redis }] = await Promise.all([import("bottleneck"), import("ioredis")]);
      const { hostname: host, port } = new URL(redisUrl);
      const connection = { datastore: "ioredis", Redis, clientOptions: { host, port: Number(port) } } as const;
      const limiter = new Bottleneck({ id: KEY, minTime: distanceMs(callee), ...connection });
      await limiter.ready();
      return { run: (call) => limiter.schedule(call) };
    },
  },
];

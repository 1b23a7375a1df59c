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
async function unless(mayFail: (error: unknown) => boolean, run: Promise<unknown>): Promise<boolean> {
  try {
    await run;
    return true;
  } catch (error) {
    if (mayFail(error)) return false;
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
const isQueueFull = (error: unknown): boolean => codeOf(error) === "DT_QUEUE_FULL";

/** Until it succeeds: while five processes start on a busy machine, a deadline of a store may pass. */
async function untilDone(attempt: () => Promise<unknown>): Promise<void> {
  const isOfStore = (error: unknown): boolean => /^DT_STORE_/.test(String(codeOf(error)));
  let isDone = false;
  while (!isDone) isDone = await unless(isOfStore, attempt());
}

function throttle(shares: Shares): Approach {
  return {
    name: shares,
    settings: (callee) => `createThrottle: max ${perSecond(callee)}, interval 1 s, shares "${shares}"`,
    open: async ({ callee, line, redisUrl }) => {
      const [{ createThrottle }, { redisStore }] = await Promise.all([import("@dt/core"), import("@dt/redis")]);
      const store = redisStore({ url: redisUrl });
      const max = perSecond(callee);
      const made = createThrottle({ name: KEY, max, interval: INTERVAL_MS, shares, maxWaiters: line, store });
      await untilDone(() => made.start());
      await untilDone(() => made.acquire());
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
      const pacer = createPacer({ name: KEY, every: distanceMs(callee), maxWaiters: line, store });
      await untilDone(() => pacer.acquire());
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
    settings: (callee) => `clustering with ioredis: minTime ${distanceMs(callee)} ms; the queue is counted before it`,
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

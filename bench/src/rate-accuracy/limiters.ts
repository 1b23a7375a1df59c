import { setTimeout as sleep } from "node:timers/promises";
import { type PacedLimiter, PER_SECOND } from "./limiter.ts";

const OURS = `rate ${PER_SECOND}, permitTtl 15 ms: a permit whose holder wakes later than that is wasted`;

/** Ours first. */
export const limiters: readonly PacedLimiter[] = [
  {
    name: "@dt pacer, memory",
    configuration: OURS,
    open: async () => {
      const { createPacer, MemoryStore } = await import("@dt/core");
      const pacer = createPacer({ name: "bench", rate: PER_SECOND, permitTtl: 15, store: new MemoryStore() });
      return { turn: () => pacer.acquire(), close: () => pacer.stop() };
    },
  },
  {
    name: "@dt pacer, redis",
    configuration: `${OURS}; Redis on loopback`,
    open: async (redisUrl) => {
      const [{ createPacer }, { redisStore }] = await Promise.all([import("@dt/core"), import("@dt/redis")]);
      const store = redisStore({ url: redisUrl });
      // A key of its own for each run.
      const pacer = createPacer({ name: `bench-${process.pid}`, rate: PER_SECOND, permitTtl: 15, store });
      // So that the pattern begins with a connection that is open.
      await store.inspect("bench");
      return { turn: () => pacer.acquire(), close: () => store.close() };
    },
  },
  {
    name: "bottleneck, reservoir",
    package: "bottleneck",
    configuration: "reservoir 10, refreshed to 10 every second",
    open: async () => {
      const { default: Bottleneck } = await import("bottleneck");
      const limiter = new Bottleneck({
        reservoir: PER_SECOND,
        reservoirRefreshAmount: PER_SECOND,
        reservoirRefreshInterval: 1_000,
      });
      return { turn: () => limiter.schedule(async () => undefined), close: () => limiter.disconnect() };
    },
  },
  {
    name: "bottleneck, minTime",
    package: "bottleneck",
    configuration: "minTime 100 ms, maxConcurrent 1",
    open: async () => {
      const { default: Bottleneck } = await import("bottleneck");
      const limiter = new Bottleneck({ minTime: 1_000 / PER_SECOND, maxConcurrent: 1 });
      return { turn: () => limiter.schedule(async () => undefined), close: () => limiter.disconnect() };
    },
  },
  {
    name: "limiter RateLimiter",
    package: "limiter",
    configuration: "tokensPerInterval 10, interval 1 s; removeTokens(1)",
    open: async () => {
      const { RateLimiter } = await import("limiter");
      const limiter = new RateLimiter({ tokensPerInterval: PER_SECOND, interval: "second" });
      return { turn: () => limiter.removeTokens(1) };
    },
  },
  {
    name: "p-throttle strict",
    package: "p-throttle",
    configuration: "limit 10, interval 1 s, strict",
    open: async () => {
      const { default: create } = await import("p-throttle");
      return { turn: create({ limit: PER_SECOND, interval: 1_000, strict: true })(async () => undefined) };
    },
  },
  {
    name: "rate-limiter-flexible",
    package: "rate-limiter-flexible",
    configuration: "RateLimiterMemory, points 10, duration 1 s; a refused call sleeps msBeforeNext and asks again",
    open: async () => {
      const { RateLimiterMemory, RateLimiterRes } = await import("rate-limiter-flexible");
      const limiter = new RateLimiterMemory({ points: PER_SECOND, duration: 1 });
      const turn = async (): Promise<void> => {
        for (;;) {
          try {
            await limiter.consume("key");
            return;
          } catch (refusal) {
            if (!(refusal instanceof RateLimiterRes)) throw refusal;
            await sleep(refusal.msBeforeNext);
          }
        }
      };
      return { turn };
    },
  },
];

import { type AwaitedCandidate, PLENTY } from "../candidate.ts";

export const rateLimiterMemory: AwaitedCandidate = {
  name: "rate-limiter-flexible RateLimiterMemory.consume",
  package: "rate-limiter-flexible",
  keepsTime: true,
  configuration: "points 1e9, duration 1 s, one key",
  prepare: async () => {
    const { RateLimiterMemory } = await import("rate-limiter-flexible");
    const limiter = new RateLimiterMemory({ points: PLENTY, duration: 1 });
    return { operation: () => limiter.consume("key") };
  },
};

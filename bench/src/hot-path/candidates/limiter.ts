import { type AwaitedCandidate, PLENTY, type SynchronousCandidate } from "../candidate.ts";

export const tokenBucketSynchronous: SynchronousCandidate = {
  name: "limiter TokenBucket.tryRemoveTokens",
  package: "limiter",
  keepsTime: true,
  configuration: "bucketSize and tokensPerInterval 1e9, interval 1 s, full at the start",
  prepare: async () => {
    const { TokenBucket } = await import("limiter");
    const bucket = new TokenBucket({ bucketSize: PLENTY, tokensPerInterval: PLENTY, interval: "second" });
    bucket.content = PLENTY;
    return { operation: () => (bucket.tryRemoveTokens(1) ? 1 : 0) };
  },
};

export const rateLimiterSynchronous: SynchronousCandidate = {
  name: "limiter RateLimiter.tryRemoveTokens",
  package: "limiter",
  keepsTime: true,
  configuration: "tokensPerInterval 1e9, interval 1 s",
  prepare: async () => {
    const { RateLimiter } = await import("limiter");
    const limiter = new RateLimiter({ tokensPerInterval: PLENTY, interval: "second" });
    return { operation: () => (limiter.tryRemoveTokens(1) ? 1 : 0) };
  },
};

export const rateLimiterAwaited: AwaitedCandidate = {
  name: "limiter RateLimiter.removeTokens",
  package: "limiter",
  keepsTime: true,
  configuration: "tokensPerInterval 1e9, interval 1 s",
  prepare: async () => {
    const { RateLimiter } = await import("limiter");
    const limiter = new RateLimiter({ tokensPerInterval: PLENTY, interval: "second" });
    return { operation: () => limiter.removeTokens(1) };
  },
};

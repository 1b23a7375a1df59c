import type { AwaitedCandidate, SynchronousCandidate } from "../candidate.ts";

export const semaTryAcquire: SynchronousCandidate = {
  name: "async-sema Sema.tryAcquire + release",
  package: "async-sema",
  keepsTime: false,
  configuration: "Sema(1): limits concurrency, not rate; no clock",
  prepare: async () => {
    const { Sema } = await import("async-sema");
    const sema = new Sema(1);
    const operation = (): number => {
      const token = sema.tryAcquire();
      sema.release();
      return token === undefined ? 0 : 1;
    };
    return { operation };
  },
};

export const semaAcquire: AwaitedCandidate = {
  name: "async-sema Sema.acquire + release",
  package: "async-sema",
  keepsTime: false,
  configuration: "Sema(1), released at once: limits concurrency, not rate; no clock",
  prepare: async () => {
    const { Sema } = await import("async-sema");
    const sema = new Sema(1);
    const operation = (): Promise<unknown> => {
      const acquired = sema.acquire();
      sema.release();
      return acquired;
    };
    return { operation };
  },
};

export const semaRateLimit: AwaitedCandidate = {
  name: "async-sema RateLimit",
  package: "async-sema",
  keepsTime: true,
  configuration: "RateLimit(4e6) in 1 s: a timer per grant; fewer operations, since it allocates its whole limit",
  iterations: 10_000,
  prepare: async () => {
    const { RateLimit } = await import("async-sema");
    return { operation: RateLimit(4_000_000) };
  },
};

import { type AwaitedCandidate, PLENTY } from "../candidate.ts";

export const pThrottle: AwaitedCandidate = {
  name: "p-throttle",
  package: "p-throttle",
  keepsTime: true,
  configuration: "limit 1e9, interval 1 s, not strict (strict remembers every call); around a function that returns 1",
  prepare: async () => {
    const { default: create } = await import("p-throttle");
    const throttled = create({ limit: PLENTY, interval: 1_000 })(() => 1);
    return { operation: () => throttled() };
  },
};

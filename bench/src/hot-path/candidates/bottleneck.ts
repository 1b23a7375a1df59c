import { type AwaitedCandidate, PLENTY } from "../candidate.ts";

export const bottleneck: AwaitedCandidate = {
  name: "bottleneck schedule",
  package: "bottleneck",
  keepsTime: true,
  configuration: "reservoir 1e9, refreshed every second; a job that returns 1. Every job waits for a timer of 0 ms",
  iterations: 10,
  prepare: async () => {
    const { default: Bottleneck } = await import("bottleneck");
    const limiter = new Bottleneck({
      reservoir: PLENTY,
      reservoirRefreshAmount: PLENTY,
      reservoirRefreshInterval: 1_000,
    });
    const job = async (): Promise<number> => 1;
    return { operation: () => limiter.schedule(job), close: () => limiter.disconnect() };
  },
};

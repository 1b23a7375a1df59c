import type { Look } from "./line-chart.tsx";

/** The mean latency of the store, and the longest. */
export const LATENCY: readonly Look[] = [{ colour: "--accent" }, { colour: "--dim", dashed: true }];

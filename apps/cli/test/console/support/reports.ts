import type { FleetReport, LimiterReport, MemberReport } from "../../../src/fleet/report.ts";

export function member(id: string, given: Partial<MemberReport> = {}): MemberReport {
  const known = { held: 10, evenShare: 10, max: null, used: 5, waiting: 0, want: null, silentMs: 100 };
  return { id, ...known, state: "active", why: "has its even part", ...given };
}

export function throttle(name: string, given: Partial<LimiterReport> = {}): LimiterReport {
  const tokens = { name: "tokens", max: 100, windowMs: 1_000, used: 50, utilization: 0.5, binds: false };
  return { kind: "throttle", name, state: "ok", findings: [], limits: [tokens], pausedForMs: 0, ...given };
}

export function report(atMs: number, limiters: readonly LimiterReport[]): FleetReport {
  const requests = { count: 1, meanMs: 1, maxMs: 2 };
  const whole = { schema: 1, store: "redis://localhost:6379", verdict: "all is well" } as const;
  return { ...whole, atMs, requests, state: "ok", limiters };
}

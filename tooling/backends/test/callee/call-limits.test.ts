import { describe, expect, it } from "vitest";
import { type AdmittedCall, CallLimits } from "../../src/callee/call-limits.ts";
import { drawOutput, MEAN_OUTPUT } from "../../src/callee/output-tokens.ts";

const perMinute = (count: number) => ({ count, intervalMs: 60_000 });

function admitted(limits: CallLimits, promptTokens: number, nowMs: number): AdmittedCall {
  const call = limits.enter(promptTokens, nowMs);
  if (!call.admitted) throw new Error(`limited by ${call.limitedBy}`);
  return call;
}

describe("the limits of calls", () => {
  it("count the prompt at once, and the output at the end, at the time of the beginning", () => {
    const limits = new CallLimits({ requests: perMinute(10), tokens: perMinute(1_000) });
    const call = admitted(limits, 80, 0);
    expect(limits.books(1_000)).toEqual({
      inFlight: 1,
      peakInFlight: 1,
      promptTokens: 80,
      outputTokens: 0,
      requestsInWindow: 1,
      tokensInWindow: 80,
      peakRequestsPercent: 10,
      peakTokensPercent: 8,
    });
    call.end(120, 59_000);
    expect(limits.books(59_999)).toMatchObject({ inFlight: 0, tokensInWindow: 200, peakTokensPercent: 20 });
    expect(limits.books(60_000)).toMatchObject({ promptTokens: 80, outputTokens: 120, tokensInWindow: 0 });
  });

  it("end a call once", () => {
    const limits = new CallLimits({ tokens: perMinute(1_000) });
    const call = admitted(limits, 80, 0);
    call.end(10, 1);
    call.end(500, 2);
    expect(limits.books(2)).toMatchObject({ inFlight: 0, outputTokens: 10, tokensInWindow: 90 });
  });

  it("count nothing of a call that they refuse, whichever limit it is", () => {
    const limits = new CallLimits({ requests: perMinute(2), tokens: perMinute(100) });
    admitted(limits, 60, 0);
    expect(limits.enter(41, 10_000)).toEqual({ admitted: false, limitedBy: "tokens", waitMs: 50_000 });
    admitted(limits, 40, 20_000);
    expect(limits.enter(0, 30_000)).toEqual({ admitted: false, limitedBy: "requests", waitMs: 30_000 });
    expect(limits.books(30_000)).toMatchObject({ inFlight: 2, requestsInWindow: 2, tokensInWindow: 100 });
    admitted(limits, 60, 60_000);
  });

  it("name the limit that is in the way for longest", () => {
    const limits = new CallLimits({ requests: { count: 1, intervalMs: 1_000 }, tokens: perMinute(100) });
    admitted(limits, 100, 0);
    expect(limits.enter(10, 500)).toEqual({ admitted: false, limitedBy: "tokens", waitMs: 59_500 });
    expect(limits.enter(0, 500)).toEqual({ admitted: false, limitedBy: "requests", waitMs: 500 });
    expect(limits.enter(101, 500)).toMatchObject({ limitedBy: "tokens", waitMs: Number.POSITIVE_INFINITY });
  });

  it("admit any number of calls where only tokens are limited", () => {
    const limits = new CallLimits({ tokens: perMinute(100) });
    for (let call = 0; call < 50; call++) admitted(limits, 2, 0);
    expect(limits.enter(1, 0)).toMatchObject({ admitted: false, limitedBy: "tokens" });
    expect(limits.standing("requests", 0)).toBeUndefined();
    expect(limits.standing("tokens", 0)).toEqual({ quota: perMinute(100), used: 100, fullInMs: 60_000 });
    expect(limits.books(0)).not.toHaveProperty("requestsInWindow");
  });
});

describe("the output of a call", () => {
  it("is at least one token and at most what the call allows", () => {
    expect([0, 0.5, 0.999_999].map((chance) => drawOutput(400, () => chance))).toEqual([1, 35, 400]);
    expect(drawOutput(1, () => 0.9)).toBe(1);
  });

  it("has its mean where nothing bounds it", () => {
    const steps = 100_000;
    let sum = 0;
    for (let i = 0; i < steps; i++) sum += drawOutput(Number.MAX_SAFE_INTEGER, () => (i + 0.5) / steps);
    expect(sum / steps).toBeGreaterThan(MEAN_OUTPUT);
    expect(sum / steps).toBeLessThan(MEAN_OUTPUT + 1);
  });
});

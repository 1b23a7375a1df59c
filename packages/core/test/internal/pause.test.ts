import { describe, expect, it } from "vitest";
import { pauseMsOf } from "../../src/internal/pause.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const WALL_MS = Date.UTC(2026, 10, 29);
const runtime = Object.assign(new VirtualRuntime(), { wallTimeMs: () => WALL_MS });

describe("the end of a pause", () => {
  it.each([
    [new Date(WALL_MS + 5_000), 5_000],
    [WALL_MS + 1_500, 1_500],
    [new Date(WALL_MS - 5_000), 0],
    ["30", 30_000],
    [" 0 ", 0],
    ["1.5s", 1_500],
    ["20ms", 20],
    ["Sun, 29 Nov 2026 00:00:07 GMT", 7_000],
    ["2d", 86_400_000],
    ["999999999999", 86_400_000],
    [WALL_MS * 2, 86_400_000],
  ])("%o is so many milliseconds away: %d", (until, ms) => {
    expect(pauseMsOf(until, runtime)).toBe(ms);
  });

  it.each([
    [30],
    [-1],
    [Number.NaN],
    [new Date(Number.NaN)],
    [""],
    ["soon"],
    ["-5"],
    [undefined],
    [null],
    [true],
    [{}],
  ])("%o is refused, with what to give", (until) => {
    expect(() => pauseMsOf(until as never, runtime)).toThrow(/pauseUntil is .*Retry-After/);
  });

  it("is refused as an instant where there is no wall clock", () => {
    const bare = { now: () => 0, setTimer: runtime.setTimer.bind(runtime), random: () => 0 };
    expect(() => pauseMsOf(new Date(WALL_MS), bare)).toThrow(/wallTimeMs/);
    expect(pauseMsOf("5", bare)).toBe(5_000);
  });
});

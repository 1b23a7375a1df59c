import { describe, expect, it } from "vitest";
import { rfc3339 } from "../../src/callee/provider/anthropic.ts";
import { goDuration } from "../../src/callee/provider/openai.ts";

describe("times in headers", () => {
  it.each([
    [0, "0s"],
    [0.2, "1ms"],
    [12, "12ms"],
    [1_000, "1s"],
    [8_640, "8.64s"],
    [59_999.1, "1m0s"],
    [86_400, "1m26.4s"],
    [360_000, "6m0s"],
    [3_600_000, "1h0m0s"],
    [90_061_001, "25h1m1.001s"],
  ])("of OpenAI are written as Go writes them: %d ms", (ms, text) => {
    expect(goDuration(ms)).toBe(text);
  });

  it("of Anthropic are RFC 3339, to the next second", () => {
    const at = Date.UTC(2026, 10, 29, 1, 2, 3);
    expect([at, at + 1].map(rfc3339)).toEqual(["2026-11-29T01:02:03Z", "2026-11-29T01:02:04Z"]);
  });
});

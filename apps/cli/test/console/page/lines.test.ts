import { expect, test } from "vitest";
import { keysOf, latencyOf, limitedKeysOf, usedOf, utilizationOf, waitingOf } from "../../../src/console/page/lines.ts";
import { placed, textsOf } from "../../../src/console/page/marks.ts";
import type { Mark } from "../../../src/console/protocol.ts";
import { FakeFleet, SCENARIOS } from "../fixtures/scenario.ts";

const { frames } = new FakeFleet(SCENARIOS.all, 0).hello(3, false);
const away = new FakeFleet({ ...SCENARIOS.kill, awayFrom: 2 }, 0).hello(3, false).frames;

test("load is what is used and the limit; what waits is apart", () => {
  const { times, lines } = usedOf(frames, "throttle", "payments");
  expect(times).toEqual([0, 1, 2, 3]);
  expect(lines.map(({ name }) => name)).toEqual(["used", "limit"]);
  expect(lines[1]?.values).toEqual([200, 200, 200, 200]);
  const last = frames.at(-1)?.limiters.find(({ name }) => name === "crawl");
  expect(waitingOf(frames, "throttle", "crawl").lines[0]?.values.at(-1)).toBe(last?.waiting);
});

test("lines have a gap where the store did not answer", () => {
  expect(usedOf(away, "throttle", "payments").lines[1]?.values).toEqual([200, 200, null, null]);
  expect(latencyOf(away).lines.map(({ values }) => values.map((value) => value === null))).toEqual([
    [false, false, true, true],
    [false, false, true, true],
  ]);
});

test("each limit of a budget has a line in percent", () => {
  const { lines } = utilizationOf(frames, "budget", "llm");
  expect(lines.map(({ name }) => name)).toEqual(["requests", "tokens", "in flight"]);
  expect(Math.max(...(lines[1]?.values.map(Number) ?? []))).toBeLessThanOrEqual(100);
  expect(Math.max(...(lines[1]?.values.map(Number) ?? []))).toBeGreaterThan(50);
});

test("keys in use, and those with nothing left", () => {
  expect(keysOf(frames, "keyed", "tenants").lines[0]?.values).toEqual([11_234, 11_234, 11_234, 11_234]);
  const last = frames.at(-1)?.limiters.find(({ name }) => name === "tenants");
  expect(limitedKeysOf(frames, "keyed", "tenants").lines[0]?.values.at(-1)).toBe(last?.keys?.limited);
});

test("events that lie on each other are one line, of each kind", () => {
  const mark = (atMs: number, what: Mark["what"]): Mark => ({ atMs, kind: "throttle", name: "t", what, text: what });
  const lines = placed([mark(9_000, "join"), mark(1_000, "join"), mark(1_500, "crash"), mark(2_000, "join")], 2);
  expect(lines.map(({ time, what, marks }) => [time, what, marks.length])).toEqual([
    [1, "join", 2],
    [1.5, "crash", 1],
    [9, "join", 1],
  ]);
  expect(textsOf([mark(1, "join"), mark(2, "crash"), mark(3, "leave")], 2)).toEqual([
    "▲ join",
    "✕ crash",
    "and 1 more",
  ]);
});

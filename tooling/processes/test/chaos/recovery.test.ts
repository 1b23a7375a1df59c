import { expect, test } from "vitest";
import { recoveries } from "../../src/chaos/history/recovery.ts";

const epoch = (firstMs: number, tokens: number) => ({
  ...{ epoch: firstMs, tokens, limit: 100, firstMs },
  byBoot: new Map<string, number>(),
});

test("recovery is counted from the mending to the first full epoch", () => {
  const epochs = [epoch(500, 100), epoch(1_000, 50), epoch(1_500, 60), epoch(2_000, 100), epoch(2_500, 100)];
  const faults = [{ kind: "kill", startMs: 700, endMs: 1_200 }];
  expect(recoveries(faults, epochs)).toEqual({ kill: { measured: 1, medianMs: 800, longestMs: 800 } });
});

test("a fault that another one disturbs before the group has recovered is not measured", () => {
  const epochs = [epoch(1_000, 50), epoch(2_000, 100), epoch(3_000, 100)];
  const faults = [
    { kind: "kill", startMs: 700, endMs: 1_200 },
    { kind: "pause", startMs: 1_500, endMs: 1_600 },
    { kind: "pause", startMs: 2_100, endMs: 2_200 },
  ];
  expect(recoveries(faults, epochs)).toEqual({ pause: { measured: 1, medianMs: 800, longestMs: 800 } });
});

import { expect, it } from "vitest";
import { Drain } from "../../src/internal/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

it("of two drains the first counts: the second changes nothing of its time, and ends with it", async () => {
  const runtime = new VirtualRuntime();
  let waiting = 1;
  const asked: string[] = [];
  const drain = new Drain(runtime, () => waiting);
  const drained = {
    refuse: () => asked.push("refuse"),
    isDraining: () => true,
    stop: () => void asked.push("stop"),
  };
  const both = [drain.end({ timeout: "20s" }, drained), drain.end({ timeout: "1s" }, drained)];
  await runtime.advance(2_000);
  expect(asked).toEqual(["refuse"]);
  waiting = 0;
  drain.look();
  expect(await Promise.all(both)).toEqual([true, true]);
  expect(asked).toEqual(["refuse", "stop"]);
});

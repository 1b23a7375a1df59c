import { expect, it } from "vitest";
import { Timeline } from "../../src/hybrid/index.ts";

it("events happen in the order of their times, and those of one time in the order they were asked for", async () => {
  const timeline = new Timeline();
  const seen: string[] = [];
  const delays = [5, 1, 3, 1, 0, 9, 3, 7, 2];
  for (const [index, delayMs] of delays.entries()) timeline.after(delayMs, () => seen.push(`${delayMs}:${index}`));
  timeline.after(4, () => timeline.after(0.5, () => seen.push("later")));
  timeline.after(6, () => seen.push("never")).cancelled = true;
  await timeline.run(8);
  expect(seen).toEqual(["0:4", "1:1", "1:3", "2:8", "3:2", "3:6", "later", "5:0", "7:7"]);
  expect(timeline.nowMs).toBe(8);
});

it("between two events every promise that can settle does, however long the chain", async () => {
  const timeline = new Timeline();
  let atMs = -1;
  timeline.after(1, () => {
    let chain = Promise.resolve();
    for (let i = 0; i < 1_000; i++) chain = chain.then(() => {});
    void chain.then(() => {
      atMs = timeline.nowMs;
    });
  });
  timeline.after(1.001, () => {});
  await timeline.run(2);
  expect(atMs).toBe(1);
});

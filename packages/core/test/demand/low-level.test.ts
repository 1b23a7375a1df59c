import { expect, it } from "vitest";
import { Crowd } from "./support.ts";

it("a level below one token for each member is no standstill: each has its turn, and all together about the level", async () => {
  const group = new Crowd(1_000);
  for (let i = 0; i < 5; i++) {
    const caller = await group.join();
    caller.perSecond = 20;
    caller.throttle.cap(2);
  }
  await group.run(10_000);
  const had = await group.run(60_000);
  // Two of 1,000 for five: 24 a minute for each.
  for (const tokens of had) expect(tokens, `${had}`).toBeGreaterThan(18);
  for (const tokens of had) expect(tokens, `${had}`).toBeLessThan(30);
  await group.stop();
});

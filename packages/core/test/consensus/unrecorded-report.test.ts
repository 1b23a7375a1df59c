import { expect, it } from "vitest";
import { createThrottle, type MemberView, MemoryStore, type View } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store that answers some reports as if they had been overtaken (R11): it takes nothing of them in. */
class HurriedStore extends MemoryStore {
  isHurried = false;

  override sync(...[group, member, report]: Parameters<MemoryStore["sync"]>): Promise<View> {
    return super.sync(group, member, this.isHurried ? { ...report, seq: 1 } : report);
  }
}

it("what it used of tokens that it gives up counts as spent, also when the store took in only a later report", async () => {
  const runtime = new VirtualRuntime();
  const store = new HurriedStore({ runtime });
  const timing = { interval: "10s", syncInterval: "1s", staleAfter: "30s" } as const;
  const throttle = createThrottle({ name: "g", max: 10, store, runtime, ...timing });
  const started = throttle.start();
  await runtime.advance(10_100);
  await started;
  expect(throttle.tryAcquireUpTo(8)).toBe(8);
  const other = { id: "other", incarnation: "other" };
  const { generation, members } = (await store.register("g", {
    ...{ ...other, seq: 1, rejoin: false, claim: 0, max: 10, intervalMs: 10_000, staleAfterMs: 30_000 },
    ...{ learningMs: 0, level: null, resumeWithinMs: 0, observedMs: 0 },
  })) as MemberView;
  store.isHurried = true;
  await runtime.advance(3_000);
  expect(throttle.status().members).toBe(2);
  store.isHurried = false;
  await runtime.advance(3_000);
  const report = { seq: 2, generation, members, held: 0, max: 10, level: null };
  const answer = (await store.sync("g", other, report)) as MemberView;
  // Five are freed, of which three were used: two are left for the epoch that runs.
  expect(answer).toMatchObject({ entitled: 5, fromEpoch: 2, early: 2 });
  const stopped = throttle.stop();
  await runtime.advance(1_000);
  await stopped;
});

import { type CaseDefinition, casesOf } from "../../case.ts";
import type { PermitKey } from "../../permits/permit-key.ts";

/** P3: how far permits are apart. */
export const spacing: readonly CaseDefinition[] = casesOf({ rule: "P3", needs: ["permits"] }, [
  {
    name: "the first permit of a key is due at once, and each one after it an interval later",
    async run(context) {
      const key = await context.permitKey();
      const first = await key.take();
      key.at(first.atMs, first.reservation.storeTimeMs, "the first permit of an idle key");
      for (let i = 1; i <= 8; i++) key.at((await key.take()).atMs, first.atMs + i * key.everyMs, `permit ${i + 1}`);
    },
  },
  {
    name: "an interval that is no whole number of milliseconds is kept exactly",
    why: "three a second is 333.3 ms; rounded down, the rate is exceeded for ever",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(10_000) / 3 });
      const first = await key.take({ count: 4 });
      for (let i = 0; i < 4; i++) key.at(first.instants[i], first.atMs + i * key.everyMs, `permit ${i + 1}`);
      for (let i = 4; i < 12; i++) key.at((await key.take()).atMs, first.atMs + i * key.everyMs, `permit ${i + 1}`);
    },
  },
  {
    name: "idle time is not saved: after a long pause one permit is due at once, and the next an interval later",
    why: "a strict limit counts no unused time towards what comes after it",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(60) });
      const first = await key.take();
      await context.sleep(4 * key.everyMs);
      const second = await key.take();
      const third = await key.take();
      context.that(
        second.atMs - first.atMs >= 3 * key.everyMs,
        `after ${4 * key.everyMs} ms of pause a permit is due ${second.atMs - first.atMs} ms after the one before the pause`,
      );
      context.that(
        third.atMs - second.atMs >= key.everyMs - 0.1,
        `the one after it is due ${third.atMs - second.atMs} ms later, and ${key.everyMs} ms is the least`,
      );
    },
  },
  {
    name: "a burst comes at once after idleness, and then an interval apart; longer idleness makes it no larger",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(120), burst: 3 });
      for (const pauseMs of [0, 7 * key.everyMs]) {
        await context.sleep(pauseMs);
        const taken = [];
        for (let i = 0; i < 5; i++) taken.push(await key.take());
        const [a, , c, d, e] = taken.map(({ atMs }) => atMs) as [number, number, number, number, number];
        const now = taken[2]?.reservation.storeTimeMs as number;
        // Unless the calls took longer than an interval, which brings further permits by itself.
        if (now - a < key.everyMs) key.at(c, now, "the last permit of the burst");
        context.that(d - a >= key.everyMs - 0.1, `four permits came within ${d - a} ms, where three may come at once`);
        context.that(e - d >= 0, "instants went back");
      }
    },
  },
  {
    name: "a permit that costs more keeps the next one away for longer, and one that costs less for shorter",
    async run(context) {
      const key = await context.permitKey();
      const first = await key.take({ cost: 2.5 });
      const second = await key.take({ cost: 0.5 });
      const third = await key.take({ cost: 1 });
      const last = await key.take({ cost: 7 });
      key.at(second.atMs, first.atMs + 2.5 * key.everyMs, "the permit after one of cost 2.5");
      key.at(third.atMs, second.atMs + 0.5 * key.everyMs, "the permit after one of cost 0.5");
      key.at(last.atMs, third.atMs + key.everyMs, "the permit after one of cost 1");
    },
  },
  {
    name: "with a burst a cost takes that many units of it, and one above the burst takes all and delays what follows",
    async run(context) {
      const key = await context.permitKey({ burst: 4 });
      await dueAtOnce(key, { cost: 3 });
      await dueAtOnce(key, { cost: 1 });
      const next = await key.take({ cost: 2 });
      const after = await key.take();
      context.that(next.atMs > next.reservation.storeTimeMs, "a burst of 4 gave 6 units at once");
      key.at(after.atMs, next.atMs + key.everyMs, "a permit of cost 1 behind one of cost 2 in a burst of 4");
      const other = await context.permitKey({ burst: 4 });
      const large = await other.take({ cost: 6 });
      key.at(large.atMs, large.reservation.storeTimeMs, "a permit that costs more than the burst, on an idle key");
      const behind = await other.take();
      key.at(behind.atMs, large.atMs + 3 * other.everyMs, "the permit behind one of cost 6 in a burst of 4");
    },
  },
  {
    name: "a block is as many permits in a row as would be given one by one",
    why: "at high rates one round trip reserves many",
    async run(context) {
      const key = await context.permitKey({ burst: 2 });
      const block = await key.take({ count: 6 });
      const nowMs = block.reservation.storeTimeMs;
      const expected = [0, 0, 1, 2, 3, 4].map((i) => nowMs + i * key.everyMs);
      for (const [i, atMs] of expected.entries())
        key.at(block.instants[i], atMs, `permit ${i + 1} of a block of 6 with burst 2`);
      key.at((await key.take()).atMs, nowMs + 5 * key.everyMs, "the permit behind the block");
      const dear = await key.take({ count: 3, cost: 2 });
      key.at(dear.instants[2], dear.atMs + 4 * key.everyMs, "the third of a block of cost 2 each");
    },
  },
  {
    name: "a block of a thousand at a high rate is spaced exactly",
    async run(context) {
      const key = await context.permitKey({ everyMs: 0.25, maxReserved: 1_000_000 });
      const block = await key.take({ count: 1_000 });
      key.at(block.instants[999], block.atMs + 999 * 0.25, "the last of a thousand permits every 0.25 ms");
      const next = await key.take();
      context.that(next.atMs >= block.atMs + 1_000 * 0.25 - 0.05, "the permit behind the block is too early");
    },
  },
]);

async function dueAtOnce(key: PermitKey, changes: { readonly cost: number }): Promise<void> {
  const taken = await key.take(changes);
  key.at(taken.atMs, taken.reservation.storeTimeMs, `a permit of cost ${changes.cost} within the burst`);
}

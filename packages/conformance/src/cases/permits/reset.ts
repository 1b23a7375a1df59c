import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";

/**
 * Not on the target's scale, as the minute is not that a reset keeps: 0, 25 and 50 s are within it, 75 and 100 s are
 * not.
 */
const EVERY_MS = 25_000;
const DAY_MS = 86_400_000;

/** P12: what is left of a key after a reset. */
export const reset: readonly CaseDefinition[] = casesOf({ rule: "P12", needs: ["permits"] }, [
  {
    name: "a reset leaves what comes within a minute, and the next permit keeps its distance from that",
    why: "those who hold these permits are about to use them",
    async run(context) {
      const { key, store } = await resettable(context, { everyMs: EVERY_MS });
      const first = await key.take();
      for (let i = 1; i < 3; i++) await key.take();
      const [fourth, last] = [await key.take(), await key.take()];
      await key.reset(store);
      key.at((await key.take()).atMs, first.atMs + 3 * EVERY_MS, "the first permit after a reset");
      key.at((await key.send(last.request)).instants[0], first.atMs + 4 * EVERY_MS, "a request of before, sent again");
      const again = await key.send(fourth.request);
      key.at(again.instants[0], first.atMs + 5 * EVERY_MS, "another request of before, sent again");
      key.at(
        (await key.send(first.request)).instants[0],
        first.atMs,
        "a reservation that the reset left, asked for again",
      );
    },
  },
  {
    name: "a reset frees a key that one request keeps for a day",
    async run(context) {
      const { key, store } = await resettable(context, { everyMs: DAY_MS / 24 });
      await key.take({ cost: 24 });
      await key.reset(store);
      const { atMs, reservation } = await key.take({ everyMs: 1_000, cost: 1 });
      key.at(atMs, reservation.storeTimeMs, "the permit after a reset");
    },
  },
  {
    name: "a reset forgets instants that were given back, and places in the queue",
    async run(context) {
      const { key, store } = await resettable(context, { everyMs: EVERY_MS });
      const [first, second] = [await key.take(), await key.take()];
      const third = await key.take();
      await key.release(second);
      // Takes what was given back, so that whoever asks next gets in the queue.
      const again = await key.take();
      await key.refused({ maxReserved: 1, queueMs: context.ms(60_000) });
      await key.release(again);
      await key.reset(store);
      // On a clock that counts whole milliseconds, too, the first permit is due no more.
      await context.sleep(2);
      // One more than that is reserved ahead for whoever has nobody before it in the queue.
      const next = await key.take({ maxReserved: 2 });
      key.at(next.atMs, third.atMs + EVERY_MS, "the permit after a reset, with an instant before it given back");
      context.that(next.atMs > first.atMs, "the permit after a reset is one of before");
    },
  },
  {
    name: "a reset forgets the terms of a key",
    async run(context) {
      const { key, store } = await resettable(context, { everyMs: EVERY_MS });
      const first = await key.take({ terms: "old" });
      await key.reset(store);
      key.at((await key.take({ terms: "new" })).atMs, first.atMs + key.everyMs, "the permit after a reset");
    },
  },
  {
    name: "a reset touches no other key, and does nothing where there is none",
    async run(context) {
      const { key, store } = await resettable(context, { everyMs: EVERY_MS });
      const taken = await key.take({ count: 5 });
      for (const other of [context.group(), key.key.slice(0, -1), `${key.key}%`]) await store.resetPermits(other);
      key.at((await key.take()).atMs, taken.atMs + 5 * EVERY_MS, "the permit after resets of other keys");
      await context.refused(store.resetPermits(""), ["DT_INVALID_OPTION"], "resetPermits of a key without a name");
      const controller = new AbortController();
      controller.abort();
      const given = store.resetPermits(key.key, controller.signal);
      await context.refused(given, ["DT_ABORTED"], "resetPermits with an aborted signal");
      key.at((await key.take()).atMs, taken.atMs + 6 * EVERY_MS, "the permit after a reset that was given up");
    },
  },
  {
    name: "a key whose data is damaged is refused until it is reset, and forgotten whole then",
    needs: ["permits", "spoilPermits"],
    async run(context) {
      const key = await context.permitKey();
      const other = await context.permitKey();
      await other.take();
      const taken = await key.take({ terms: "old" });
      await context.target.damage?.spoilPermits?.(key.key);
      context.note("what is stored of the key is damaged");
      // Of another client: one that remembers the key may write it as it was.
      const client = context.resetsPermits(await context.permitClient());
      for (let again = 0; again < 2; again++) {
        const error = await context.refused(
          client.reserve(key.key, key.request({ terms: "old" })),
          ["DT_STORE_DATA"],
          "reserve of a key whose data is damaged",
        );
        context.that(/reset/i.test(error.message), `the error about damaged data names no remedy: ${error.message}`);
      }
      await other.take({}, client);
      await client.resetPermits(key.key);
      context.forgetPermits(key.key);
      const anew = await context.permitKey({}, key.key);
      const { instants, reservation } = await anew.send({ ...taken.request, terms: "new" }, client);
      anew.at(instants[0], reservation.storeTimeMs, "the first permit of a key that was forgotten");
    },
  },
]);

async function resettable(context: CaseContext, defaults: Parameters<CaseContext["permitKey"]>[0]) {
  const store = context.resetsPermits(await context.permitStore());
  return { store, key: await context.permitKey(defaults) };
}

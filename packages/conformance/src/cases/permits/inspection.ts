import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { NEAR_MISSES } from "../../hostile-names.ts";

/** Longer than terms bind an idle key. */
const IDLE_MS = 11_000;

/** P13: what a key holds. */
export const inspection: readonly CaseDefinition[] = casesOf({ rule: "P13", needs: ["permits"] }, [
  {
    name: "a key shows up to when it is reserved, what is known, given back and in the queue, and the terms",
    async run(context) {
      const { key, store } = await inspectable(context);
      context.equal(await store.inspectPermits(key.key), undefined, "what is held of a key that was never used");
      const first = await key.take({ terms: "old" });
      context.equal((await key.inspect(store)).terms, "old", "terms of a key");
      const [second] = [await key.take({ count: 3 }), await key.take()];
      const taken = await key.inspect(store);
      key.at(taken.reservedUntilMs, first.atMs + 5 * key.everyMs, "reservedUntilMs after five permits");
      context.equal(taken.known, 3, "reservations that are known");
      await key.release(second, 1);
      context.equal((await key.inspect(store)).freed, 2, "instants that were given back");
      await key.take({ terms: "new", formerTerms: "old" });
      const agreed = await key.inspect(store);
      context.equal(`${agreed.terms} for ${agreed.formerTerms}`, "new for old", "terms and former terms");
      await key.take();
      for (let i = 0; i < 2; i++) await key.refused({ maxReserved: 1, queueMs: context.ms(60_000) });
      context.equal((await key.inspect(store)).waiting, 2, "requests in the queue");
    },
  },
  {
    name: "an inspection changes nothing of a key",
    async run(context) {
      const { key, store } = await inspectable(context);
      const first = await key.take({ terms: "one" });
      const [second, third] = [await key.take(), await key.take()];
      await key.release(second);
      for (let i = 0; i < 3; i++) await key.inspect(store);
      key.at((await key.send(third.request)).instants[0], third.atMs, "a request that is sent again");
      key.at((await key.take()).atMs, first.atMs + key.everyMs, "the permit that was given back");
      key.at((await key.take({ terms: "one" })).atMs, third.atMs + key.everyMs, "the permit after inspections");
    },
  },
  {
    name: "a key of which nothing is left is not there",
    async run(context) {
      const { key, store } = await inspectable(context, { everyMs: 1, keepMs: 0 });
      await key.take();
      await context.until(
        async () => ((await store.inspectPermits(key.key)) === undefined ? true : undefined),
        "inspectPermits still knows a key whose only permit is over and forgotten",
      );
    },
  },
  {
    name: "terms are shown while they bind, and no longer",
    needs: ["permits", "shiftClock"],
    async run(context) {
      const { key, store } = await inspectable(context, { everyMs: 1 });
      await key.take({ terms: "old" });
      context.equal((await key.inspect(store)).terms, "old", "terms of a key that was used just now");
      context.note(`the store's clock is set ${IDLE_MS} ms ahead`);
      await context.target.faults?.shiftClock?.(IDLE_MS);
      try {
        context.equal((await key.inspect(store)).terms, undefined, "terms of a key that was idle for long");
      } finally {
        await context.target.faults?.shiftClock?.(-IDLE_MS);
      }
    },
  },
  {
    name: "keys whose names are nearly the same show nothing of each other",
    async run(context) {
      const unique = context.group();
      const { key, store } = await inspectable(context, {}, `${unique}name`);
      await key.take({ count: 2 });
      for (const other of NEAR_MISSES.map((text) => `${unique}${text}`).filter((name) => name !== key.key))
        context.equal(await store.inspectPermits(other), undefined, `what ${JSON.stringify(other)} holds`);
      context.equal((await key.inspect(store)).key, key.key, "the key's name");
    },
  },
  {
    name: "an inspection is refused without a key, when it is given up, and when the store is closed",
    async run(context) {
      const { key, store } = await inspectable(context);
      await key.take();
      await context.refused(store.inspectPermits(""), ["DT_INVALID_OPTION"], "inspectPermits of a key without a name");
      const given = store.inspectPermits(key.key, AbortSignal.abort());
      await context.refused(given, ["DT_ABORTED"], "inspectPermits with an aborted signal");
      const closed = context.inspectsPermits(context.permits(await context.openStore()));
      await closed.close();
      await context.refused(closed.inspectPermits(key.key), ["DT_STORE_CLOSED"], "inspectPermits on a closed store");
    },
  },
  {
    name: "a key whose data is damaged is refused, with the remedy",
    needs: ["permits", "spoilPermits"],
    async run(context) {
      const { key } = await inspectable(context);
      await key.take();
      await context.target.damage?.spoilPermits?.(key.key);
      context.note("what is stored of the key is damaged");
      // Of another client: one that remembers the key need not read it.
      const client = context.inspectsPermits(await context.permitClient());
      const refused = client.inspectPermits(key.key);
      const error = await context.refused(refused, ["DT_STORE_DATA"], "inspectPermits of a key whose data is damaged");
      context.that(/reset/i.test(error.message), `the error about damaged data names no remedy: ${error.message}`);
    },
  },
]);

async function inspectable(context: CaseContext, ...of: Parameters<CaseContext["permitKey"]>) {
  const store = context.inspectsPermits(await context.permitStore());
  return { store, key: await context.permitKey(...of) };
}

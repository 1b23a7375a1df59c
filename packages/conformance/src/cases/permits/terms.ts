import type { PermitRequest } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";

type Key = Awaited<ReturnType<CaseContext["permitKey"]>>;

/** Longer than terms bind an idle key. */
const IDLE_MS = 11_000;

/** P10: what all users of a key agree on. */
export const terms: readonly CaseDefinition[] = casesOf({ rule: "P10", needs: ["permits"] }, [
  {
    name: "a request with other terms is refused, and reserves nothing",
    why: "two versions of one configuration would each keep their own pace",
    async run(context) {
      const key = await context.permitKey();
      const first = await key.take({ terms: "one a second" });
      const id = "refused";
      await mismatch(context, key, { id, terms: "ten a second", queueMs: context.ms(1_000) });
      key.at(
        (await key.take({ terms: "one a second" })).atMs,
        first.atMs + key.everyMs,
        "the permit after a request that was refused",
      );
      key.at(
        (await key.take({ id, terms: "one a second" })).atMs,
        first.atMs + 2 * key.everyMs,
        "the permit of the id that was refused",
      );
    },
  },
  {
    name: "a request without terms is served in any case, and the terms stay",
    async run(context) {
      const key = await context.permitKey();
      const first = await key.take();
      await key.take({ terms: "one a second" });
      key.at((await key.take()).atMs, first.atMs + 2 * key.everyMs, "the permit of a request without terms");
      await mismatch(context, key, { terms: "ten a second" });
    },
  },
  {
    name: "while terms take the place of others both are served, and no third ones",
    why: "a change is rolled out while the old version still runs",
    async run(context) {
      const key = await context.permitKey();
      const first = await key.take({ terms: "old" });
      const asked = [{ terms: "new", formerTerms: "old" }, { terms: "old" }, { terms: "new", formerTerms: "old" }];
      for (const [i, request] of asked.entries())
        key.at((await key.take(request)).atMs, first.atMs + (i + 1) * key.everyMs, `the permit of "${request.terms}"`);
      await mismatch(context, key, { terms: "third" });
      await mismatch(context, key, { terms: "third", formerTerms: "fourth" });
    },
  },
  {
    name: "terms bind a key on which nothing is reserved any more",
    async run(context) {
      const key = await context.permitKey({ everyMs: 1 });
      await key.take({ terms: "old" });
      await context.sleep(context.ms(20));
      await mismatch(context, key, { terms: "new" });
    },
  },
  {
    name: "terms bind for no longer than 10 s after the last use of a key",
    needs: ["permits", "shiftClock"],
    async run(context) {
      const key = await context.permitKey({ everyMs: 1 });
      await key.take({ terms: "old" });
      context.note(`the store's clock is set ${IDLE_MS} ms ahead`);
      await context.target.faults?.shiftClock?.(IDLE_MS);
      try {
        await key.take({ terms: "new" });
        await mismatch(context, key, { terms: "old" });
      } finally {
        await context.target.faults?.shiftClock?.(-IDLE_MS);
      }
    },
  },
]);

async function mismatch(context: CaseContext, key: Key, changes: Partial<PermitRequest>): Promise<void> {
  const store = await context.permitStore();
  const what = `a request with the terms ${JSON.stringify(changes.terms)}`;
  await context.refused(store.reserve(key.key, key.request(changes)), ["DT_PACE_MISMATCH"], what);
}

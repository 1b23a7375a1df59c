import type { Bucket } from "../../buckets/bucket.ts";
import { newBucket } from "../../buckets/bucket-stores.ts";
import { newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { HOSTILE, NEAR_MISSES } from "../../hostile-names.ts";

/** K10: buckets are told apart by their whole names and keys. */
export const isolation: readonly CaseDefinition[] = casesOf({ rule: "K10", needs: ["buckets"] }, [
  {
    name: "buckets with hostile names and keys are buckets like any other, and see no other bucket",
    async run(context) {
      const unique = context.group();
      const names = HOSTILE.map((text) => `${text}${unique}${text}`);
      await apart(context, [
        ...names.map((name) => [name, "a"] as const),
        ...HOSTILE.map((key) => [unique, key] as const),
      ]);
    },
  },
  {
    name: "buckets whose names or keys differ only in case, space, accents, their last byte, or where the name ends are different buckets",
    async run(context) {
      const unique = context.group();
      const ascii = unique.padEnd(1_023, "x");
      await apart(context, [
        ...NEAR_MISSES.map((text) => [`${text}-${unique}-${text}`, "a"] as const),
        ...NEAR_MISSES.map((text) => [unique, text] as const),
        ...["", ":", ":1", "/", "%", "_", "/a", "%2Fa"].map((end) => [`${unique}${end}`, "a"] as const),
        ...["/a", "a/", "a/a", "%2F", "a%2Fa", ":a", "a:a", "{a}"].map((key) => [unique, key] as const),
        ...[`${ascii}a`, `${ascii}b`, ascii].flatMap((long) => [[long, "a"] as const, ["a", long] as const]),
        ...[[unique, `b/${unique}`] as const, [`${unique}/b`, unique] as const, [`{${unique}}`, "a"] as const],
      ]);
    },
  },
  {
    name: "equal keys of two limits are two buckets, also in one call",
    async run(context) {
      const key = "tenant-17";
      const [one, two] = [await newBucket(context, { key }), await newBucket(context, { key, burst: 3 })];
      await one.take(7);
      await two.take(2);
      await one.remains(3, "of the first limit");
      await two.remains(1, "of the second limit");
    },
  },
  {
    name: "a bucket, a budget, a key of permits and a group of the same name have nothing to do with each other",
    needs: ["buckets", "budgets", "permits", "ledger"],
    async run(context) {
      const name = context.group();
      const bucket = await newBucket(context, { name, key: name });
      await bucket.take(4);
      const budget = await newBudget(context, {}, name);
      await budget.take([1, 100]);
      await (await context.permitKey({}, name)).take();
      const member = context.member(await context.store(), name);
      await member.join();
      await bucket.remains(6, "after others of that name were used");
      await budget.rests([9, 900], "after a bucket of that name was used");
      await member.leave();
      await bucket.remains(6, "after a member left");
    },
  },
]);

/** Every bucket is new to its first caller, and has its own units afterwards. */
async function apart(context: CaseContext, refs: readonly (readonly [name: string, key: string])[]): Promise<void> {
  const unique = new Map(refs.map(([name, key]) => [JSON.stringify([name, key]), { name, key }]));
  const buckets: Bucket[] = [];
  for (const ref of unique.values()) buckets.push(await newBucket(context, ref));
  for (let from = 0; from < buckets.length; from += 16)
    await Promise.all(buckets.slice(from, from + 16).map((bucket, i) => bucket.take(1 + ((from + i) % 9))));
  for (let from = 0; from < buckets.length; from += 16)
    await Promise.all(
      buckets
        .slice(from, from + 16)
        .map((bucket, i) =>
          bucket.remains(9 - ((from + i) % 9), `of the bucket ${JSON.stringify(bucket.ref).slice(0, 80)}`),
        ),
    );
}

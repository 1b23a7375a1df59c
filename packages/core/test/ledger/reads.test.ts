import { expect, it } from "vitest";
import { deregister, type LedgerTable, register, sync } from "../../src/ledger/index.ts";
import { Group, registration } from "./support/group.ts";

const READS = [
  ...(["group", "member", "holderOf", "memberAtRank", "expired"] as const),
  ...(["smallestMax", "extremes", "count", "members", "rememberedLevel"] as const),
] satisfies (keyof LedgerTable)[];

/** What is read of the table meanwhile. */
function readsOf(table: LedgerTable, run: (table: LedgerTable) => void): string[] {
  const asked = new Set<string>();
  run(
    new Proxy(table, {
      get: (target, name) => {
        if ((READS as readonly unknown[]).includes(name)) asked.add(String(name));
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
  );
  return [...asked].sort();
}

// An adapter with an asynchronous driver reads these before it runs the ledger: docs/writing-a-store.md, "The other
// ways".
it("as long as the membership does not change, a call reads only the few rows that the guide names", () => {
  const group = new Group();
  for (const name of ["a", "b", "c"]) group.join(name);
  for (const name of ["a", "b", "c", "a", "b", "c"]) group.beat(name);
  const { generation } = group.beat("a");
  const { clockMs } = group;
  const at = { id: "a", incarnation: "a" };
  const report = { seq: 100, generation, members: 3, held: 33, max: 100, level: null, observedMs: 0 };
  expect(readsOf(group.table, (table) => sync(table, at, report, clockMs))).toEqual(["expired", "group", "member"]);
  const again = registration("a", { seq: 101, rejoin: true, claim: 33 });
  expect(readsOf(group.table, (table) => register(table, again, clockMs))).toEqual([
    ...["expired", "group", "holderOf", "member", "rememberedLevel"],
  ]);
  const stranger = { id: "x", incarnation: "x" };
  const farewell = { seq: 1, level: null, observedMs: 0 };
  expect(readsOf(group.table, (table) => deregister(table, stranger, farewell, clockMs))).toEqual(["group", "member"]);
});

it("while others have still to adopt the generation, a call also looks whether somebody has the last rank; a newcomer's first, for the holder of its id", () => {
  const group = new Group();
  for (const name of ["a", "b", "c"]) group.join(name);
  group.beat("a");
  const { generation, members, held } = group.beat("a");
  const report = { seq: 100, generation, members, held, max: 100, level: null, observedMs: 0 };
  const syncOf = (name: string): string[] =>
    readsOf(group.table, (table) => sync(table, { id: name, incarnation: name }, report, group.clockMs));
  expect(syncOf("a")).toEqual(["expired", "group", "member", "memberAtRank"]);
  expect(syncOf("c")).toEqual(["expired", "group", "holderOf", "member", "memberAtRank"]);
});

import { DatabaseSync } from "node:sqlite";
import type { LimitTarget } from "@dt/core";
import { testStoredGroups, testStoredLimits } from "@dt-tooling/simulator/hybrid";
import { beforeEach, expect, it } from "vitest";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

const MAIL: LimitTarget = { kind: "group", name: "mail" };
const to = (max: number) => ({ values: { max }, by: "ann" });

it("a limit that was set is in the file, for every process", async () => {
  const path = sandbox.path();
  const [one, other] = [sandbox.store(path), sandbox.store(path)];
  expect(await one.readLimit(MAIL)).toBeUndefined();
  await one.setLimit(MAIL, to(50));
  const set = await other.setLimit(MAIL, { ...to(40), forMs: 60_000, why: "load" });
  expect(set).toMatchObject({ revision: 2, values: { max: 40 }, inForce: true });
  expect(set.history[0]).toMatchObject({ by: "ann", from: { max: 50 }, to: { max: 40 }, why: "load" });
  expect(await one.readLimit(MAIL)).toMatchObject({ ...set, storeTimeMs: expect.any(Number) });
});

it("stores that change a limit at the same time lose no change", async () => {
  const path = sandbox.path();
  const stores = [1, 2, 3, 4].map(() => sandbox.store(path));
  await Promise.all(stores.map((store, place) => store.setLimit(MAIL, to(place + 1))));
  const record = await stores[0]?.readLimit(MAIL);
  expect(record?.history.map((change) => change.to?.["max"]).sort()).toEqual([1, 2, 3, 4]);
});

it("records of other kinds, names and keys are others", async () => {
  const store = sandbox.store(sandbox.path());
  await store.setLimit(
    { kind: "keyed", name: "api", key: "a" },
    { by: "ann", values: { max: 5, windowMs: 9, burst: 5 } },
  );
  expect(await store.readLimit({ kind: "keyed", name: "api" })).toBeUndefined();
  expect(await store.readLimit({ kind: "budget", name: "api" })).toBeUndefined();
});

it("a damaged record is refused, and replaced when the limit is set anew", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.setLimit(MAIL, to(50));
  const file = new DatabaseSync(path);
  file.exec(`UPDATE limits SET "values" = '{"max":-1}'`);
  await expect(store.readLimit(MAIL)).rejects.toMatchObject({ code: "DT_STORE_DATA" });
  file.exec(`UPDATE limits SET revision = -5, history = 'nonsense'`);
  file.close();
  const set = await store.setLimit(MAIL, to(9));
  expect(set.revision).toBe(Math.floor(set.storeTimeMs));
  expect(await store.readLimit(MAIL)).toMatchObject({ values: { max: 9 }, history: [{ to: { max: 9 } }] });
});

let path: string;
beforeEach(() => {
  path = sandbox.path();
});
testStoredLimits(() => sandbox.store(path));
testStoredGroups(
  () => sandbox.store(path),
  () => ({
    spoilLimit: async (group, text) => {
      const file = new DatabaseSync(path);
      file.prepare('UPDATE limits SET revision = 1, "values" = ? WHERE name = ?').run(text, group);
      file.close();
    },
  }),
);

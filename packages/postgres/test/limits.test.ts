import type { LimitTarget } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { one, TEN } from "./support/bucket-requests.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

useOwnServer({ config: { fsync: "off" } });

const GROUP: LimitTarget = { kind: "group", name: "g" };

describe("the record of a limit", () => {
  test("is read as it was set, with its history, by every store", async () => {
    const [store, other] = [openPatientStore(), openPatientStore()];
    expect(await store.readLimit(GROUP)).toBeUndefined();
    await store.setLimit(GROUP, { values: { max: 50 }, by: "ann", why: "a 'test' ünï 🚦\n" });
    await other.setLimit(GROUP, { values: { max: 80 }, by: "bob", forMs: 1e9 });
    const record = await store.readLimit(GROUP);
    expect(record).toMatchObject({ revision: 2, values: { max: 80 }, inForce: true });
    expect(record?.history).toMatchObject([
      { by: "bob", from: { max: 50 }, to: { max: 80 }, untilMs: record?.untilMs },
      { by: "ann", to: { max: 50 }, why: "a 'test' ünï 🚦\n" },
    ]);
    await other.setLimit(GROUP, { values: undefined, by: "bob" });
    expect(await store.readLimit(GROUP)).toMatchObject({ revision: 3, inForce: false });
  });

  test("is that of its kind, name and key alone", async () => {
    const store = openPatientStore();
    const values = { max: 1, windowMs: 1_000, burst: 1 };
    const targets: LimitTarget[] = [
      GROUP,
      { kind: "permits", name: "g" },
      { kind: "keyed", name: "g" },
      { kind: "keyed", name: "g", key: "k" },
      { kind: "keyed", name: "x".repeat(1_024), key: "'; DROP TABLE x; --" },
    ];
    for (const [i, target] of targets.entries()) {
      const own = target.kind === "group" ? { max: 1 } : target.kind === "permits" ? { everyMs: 1 } : values;
      await store.setLimit(target, { values: own, by: `${i}` });
    }
    for (const [i, target] of targets.entries())
      expect((await store.readLimit(target))?.history).toMatchObject([{ by: `${i}` }]);
  });

  test("loses no change of those that are made at the same time", async () => {
    const some = Array.from({ length: 12 }, () => openPatientStore());
    await Promise.all(some.map((store, i) => store.setLimit(GROUP, { values: { max: i + 1 }, by: `${i}` })));
    const record = await some[0]?.readLimit(GROUP);
    expect(record?.revision).toBe(12);
    expect(new Set(record?.history.map(({ by }) => by)).size).toBe(12);
  });

  test.each([
    ["revision = 0", "revision 0"],
    ["values = '{}'", 'values "{}"'],
    ["until_ms = 'NaN'", "untilMs"],
    ["history = 'x'", 'history "x"'],
  ])("that is damaged (%s) is said, and replaced by the next change", async (change, fault) => {
    const store = openPatientStore();
    await store.setLimit(GROUP, { values: { max: 50 }, by: "ann" });
    await admin.run(`UPDATE ${schema}.dt_limit SET ${change}`);
    expect(await failure(store.readLimit(GROUP))).toMatchObject({
      code: "DT_STORE_DATA",
      message: expect.stringContaining(`record of a limit holds ${fault}`),
    });
    expect(await store.setLimit(GROUP, { values: { max: 60 }, by: "bob" })).toMatchObject({ values: { max: 60 } });
    expect(await store.readLimit(GROUP)).toMatchObject({ values: { max: 60 }, inForce: true });
  });

  test("of a bucket that is damaged is that request's own error", async () => {
    const store = openPatientStore();
    for (const key of ["a", "b", "c"])
      await store.setLimit({ kind: "keyed", name: "api", key }, { values: { ...TEN }, by: "ann" });
    await admin.run(`UPDATE ${schema}.dt_limit SET until_ms = 'NaN' WHERE key = 'a'`);
    await admin.run(`UPDATE ${schema}.dt_limit SET values = '{"max":1' WHERE key = 'b'`);
    const [a, b, c] = await store.take(["a", "b", "c"].map((key) => one(key, TEN, { stored: true })));
    for (const answer of [a, b])
      expect(answer).toMatchObject({ code: "DT_STORE_DATA", message: expect.stringContaining("set the limit anew") });
    expect(c).toMatchObject({ granted: 1 });
  });

  test("that is damaged refuses what reads it, without effect, and nothing else", async () => {
    const store = openPatientStore();
    for (const kind of ["group", "permits", "budget"] as const) {
      const values = { group: { max: 5 }, permits: { everyMs: 5 }, budget: { calls: 5 } }[kind];
      await store.setLimit({ kind, name: "g" }, { values, by: "ann" });
    }
    await admin.run(`UPDATE ${schema}.dt_limit SET values = '{"a|b":'`);
    for (const call of [
      () => store.register("g", newcomer({ stored: true })),
      () => store.reserve("g", permitRequest({ stored: true })),
      () => store.spend("g", spendRequest({}, { stored: true })),
    ])
      expect(await failure(call())).toMatchObject({
        code: "DT_STORE_DATA",
        message: expect.stringContaining('record of a limit holds values "{\\"a|b'),
      });
    expect(await store.inspect("g")).toMatchObject({ memberCount: 0 });
    expect(await store.register("g", newcomer())).toMatchObject({ members: 1 });
    expect(await store.reserve("g", permitRequest())).toMatchObject({ granted: 1 });
    expect(await store.spend("g", spendRequest())).toMatchObject({ granted: true });
  });
});

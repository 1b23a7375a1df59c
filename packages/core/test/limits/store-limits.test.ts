import { describe, expect, it } from "vitest";
import type { LimitChange, LimitTarget } from "../../src/contract/limit-ledger.ts";
import type { LimitRecordRow, UncheckedLimitRecord } from "../../src/limits/limit-row.ts";
import { memoryBackend } from "../../src/memory/backend.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import { Store } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const MAIL: LimitTarget = { kind: "group", name: "mail" };
const to = (max: number): LimitChange => ({ values: { max }, by: "ann" });

describe("a store that keeps limits", () => {
  it("tells what was set, on its own time", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    expect(await store.readLimit(MAIL)).toBeUndefined();
    const nowMs = runtime.now();
    const set = await store.setLimit(MAIL, { ...to(50), forMs: 1_000, why: "load" });
    expect(set).toMatchObject({ revision: 1, values: { max: 50 }, untilMs: nowMs + 1_000, inForce: true });
    expect(await store.readLimit(MAIL)).toEqual(set);
    await runtime.advance(1_000);
    expect(await store.readLimit(MAIL)).toMatchObject({ inForce: false, values: { max: 50 } });
  });

  it("keeps records of other kinds, names and keys apart", async () => {
    const store = new MemoryStore();
    await store.setLimit(
      { kind: "keyed", name: "api", key: "a" },
      { ...to(5), values: { max: 5, windowMs: 9, burst: 5 } },
    );
    const others: readonly LimitTarget[] = [
      { kind: "keyed", name: "api" },
      { kind: "keyed", name: "api", key: "b" },
      { kind: "keyed", name: "a", key: "api" },
      { kind: "budget", name: "api" },
    ];
    for (const other of others) expect(await store.readLimit(other)).toBeUndefined();
  });

  it("loses no change of several at one time", async () => {
    const store = new MemoryStore();
    await Promise.all([1, 2, 3, 4, 5, 6].map((max) => store.setLimit(MAIL, to(max))));
    const record = await store.readLimit(MAIL);
    expect(record?.revision).toBe(6);
    expect(record?.history.map((change) => change.to?.["max"]).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each<readonly [string, LimitTarget, LimitChange]>([
    ["a kind", { kind: "throttle" as "group", name: "mail" }, to(1)],
    ["an empty name", { kind: "group", name: "" }, to(1)],
    ["a key of a group", { ...MAIL, key: "a" }, to(1)],
    ["a fraction of a token", MAIL, to(1.5)],
    ["another number", MAIL, { values: { rate: 5 }, by: "ann" }],
    ["nobody", MAIL, { ...to(1), by: "" }],
    ["a time of 0", MAIL, { ...to(1), forMs: 0 }],
    ["a removal for a while", MAIL, { values: undefined, by: "ann", forMs: 5 }],
    ["a long why", MAIL, { ...to(1), why: "x".repeat(1_001) }],
    ["another number of before", MAIL, { ...to(1), from: { rate: 5 } }],
  ])("refuses %s", async (_, target, change) => {
    await expect(new MemoryStore().setLimit(target, change)).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  });
});

/** A store whose record is this, and what is written to it. */
function storeWith(stored: UncheckedLimitRecord, isOurs: (from: number | null) => boolean = () => true) {
  const written: (readonly [number | null, LimitRecordRow])[] = [];
  const store = new Store({
    ...memoryBackend({}),
    readLimit: () => ({ stored, storeTimeMs: 7_000.5 }),
    writeLimit: (_, from, row) => {
      written.push([from, row]);
      return isOurs(from);
    },
  });
  return { store, written };
}

const SOUND: UncheckedLimitRecord = { revision: 3, values: '{"max":5}', untilMs: null, history: "[]" };

describe("a damaged record", () => {
  it.each<UncheckedLimitRecord>([
    { ...SOUND, revision: 0 },
    { ...SOUND, revision: "3" },
    { ...SOUND, values: 5 },
    { ...SOUND, values: '{"max":"5"}' },
    { ...SOUND, untilMs: "never" },
    { ...SOUND, history: null },
    { ...SOUND, history: "{}" },
    { ...SOUND, history: '[{"by":"ann"}]' },
    { ...SOUND, history: JSON.stringify(Array.from({ length: 21 }, () => ({ atMs: 1, by: "ann" }))) },
  ])("is refused with the remedy: %o", async (stored) => {
    const { store } = storeWith(stored);
    const refusal = { code: "DT_STORE_DATA", message: expect.stringContaining("dt limit set") };
    await expect(store.readLimit(MAIL)).rejects.toMatchObject(refusal);
  });

  it("is replaced, by one with a number that no copy has", async () => {
    const { store, written } = storeWith({ ...SOUND, revision: "three" });
    await store.setLimit(MAIL, to(9));
    expect(written).toEqual([[null, expect.objectContaining({ revision: 7_000, values: '{"max":9}' })]]);
  });
});

it("gives up when others change the record again and again, and says that nothing was changed", async () => {
  const { store, written } = storeWith(SOUND, () => false);
  await expect(store.setLimit(MAIL, to(9))).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
  expect(written.map(([from]) => from)).toEqual(Array(20).fill(3));
});

it("a store without limits has none of their methods", () => {
  const { readLimit: _, writeLimit: __, ...backend } = memoryBackend({});
  expect([new Store(backend).setLimit, new Store(backend).readLimit]).toEqual([undefined, undefined]);
});

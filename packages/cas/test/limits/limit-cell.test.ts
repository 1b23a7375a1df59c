import { DtError, type LimitTarget, type Runtime, type StoreCapabilities } from "@dt/core";
import { Store } from "@dt/core/store";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { type CellGroup, type CellName, cellBackend, Sessions } from "../../src/index.ts";
import { ModelStore } from "../timed-document/model-cell.ts";
import { soon } from "../timed-document/soon.ts";

const capabilities: StoreCapabilities = {
  ...{ name: "model", clock: "hybrid", ledger: true, losesData: false, hints: false },
};
const WALL_MS = 1_800_000_000_000;
const MAIL: LimitTarget = { kind: "group", name: "mail" };
const to = (max: number) => ({ values: { max }, by: "ann" });

interface Model {
  readonly world: VirtualRuntime;
  readonly cells: Map<string, ModelStore>;
  store(): Store;
}

function model(): Model {
  const world = new VirtualRuntime({ startMs: 1_000 });
  const cells = new Map<string, ModelStore>();
  const runtime: Runtime = Object.assign(world, { wallTimeMs: () => WALL_MS + world.now() });
  const cellOf = (name: CellName) => {
    const place = JSON.stringify(name);
    const cell = cells.get(place) ?? new ModelStore(world, 4);
    cells.set(place, cell);
    return cell.cell();
  };
  const store = (): Store =>
    new Store(
      cellBackend({
        ...{ capabilities, runtime, timeoutMs: 1_000, client: "c", cellOf },
        groups: new Sessions<CellGroup>(() => {
          throw new Error("nobody asks for a group");
        }),
        names: async () => ({ names: [] }),
        toDtError: (cause, { what }) => new DtError("DT_STORE_UNAVAILABLE", what, { cause }),
        close: () => undefined,
      }),
    );
  return { world, cells, store };
}

it("a limit is set in a cell of its own, counts until its time is over, and keeps its history", async () => {
  const { world, cells, store } = model();
  const [one, other] = [store(), store()];
  expect(await soon(world, one.readLimit(MAIL))).toBeUndefined();
  const first = await soon(world, one.setLimit(MAIL, to(50)));
  expect(first).toMatchObject({ revision: 1, values: { max: 50 }, inForce: true });
  expect(first.storeTimeMs).toBeGreaterThanOrEqual(WALL_MS);
  await soon(world, other.setLimit(MAIL, { ...to(40), forMs: 60_000 }));
  expect(await soon(world, one.readLimit(MAIL))).toMatchObject({ revision: 2, values: { max: 40 }, inForce: true });
  await world.advance(60_000);
  expect(await soon(world, one.readLimit(MAIL))).toMatchObject({ inForce: false, history: [{}, { to: { max: 50 } }] });
  expect(await soon(world, one.readLimit({ kind: "permits", name: "mail" }))).toBeUndefined();
  expect([...cells.keys()]).toEqual([
    JSON.stringify({ kind: "limit", target: MAIL }),
    JSON.stringify({ kind: "limit", target: { kind: "permits", name: "mail" } }),
  ]);
});

it("of changes at the same time none is lost", async () => {
  const { world, store } = model();
  const stores = [1, 2, 3, 4].map(() => store());
  await soon(world, Promise.all(stores.map((each, place) => each.setLimit(MAIL, to(place + 1)))));
  const record = await soon(world, store().readLimit(MAIL));
  expect(record?.history.map((change) => change.to?.["max"]).sort()).toEqual([1, 2, 3, 4]);
});

it("a damaged record is refused, and replaced when the limit is set anew", async () => {
  const { world, cells, store } = model();
  const one = store();
  await soon(world, one.setLimit(MAIL, to(50)));
  for (const text of ["nonsense", '["l1",-1,null,null,"[]"]', '["l2",1,null,null,"[]"]']) {
    [...cells.values()][0]?.spoil(() => text);
    await expect(soon(world, one.readLimit(MAIL))).rejects.toMatchObject({ code: "DT_STORE_DATA" });
    const set = await soon(world, one.setLimit(MAIL, to(9)));
    expect(set.revision).toBe(Math.floor(set.storeTimeMs));
    expect(await soon(world, one.readLimit(MAIL))).toMatchObject({ values: { max: 9 }, history: [{ to: { max: 9 } }] });
  }
});

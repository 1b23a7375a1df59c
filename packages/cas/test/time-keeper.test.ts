import type { Runtime } from "@dt/core";
import type { GroupRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import { ReferenceTable } from "@dt-tooling/simulator/reference-table";
import { adopting, newcomer, refOf } from "@dt-tooling/simulator/requests";
import { beforeEach, expect, it, vi } from "vitest";
import { type Head, type HeadStore, HybridClock, type StoredHead, TimeKeeper } from "../src/index.ts";

const STALE_MS = 10_000;
/** The time in a head may be 1.25 s behind; a keeper is replaced after a quarter of the stale age. */
const FRESH_MS = 1_000;

let nowMs = 0;
const runtime: Runtime = { now: () => nowMs, setTimer: () => ({ cancel: () => {} }), random: () => 0.5 };

/** A head that is exchanged by its number, and counts what is asked of it. */
class Heads implements HeadStore<number> {
  asked: string[] = [];
  /** What a read takes. */
  readMs = 0;
  #stored: StoredHead<number>;

  constructor(head: Head) {
    this.#stored = { head, revision: 1 };
  }

  async read(): Promise<StoredHead<number>> {
    this.asked.push("read");
    nowMs += this.readMs;
    return this.#stored;
  }

  async replace(seen: number, head: Head): Promise<StoredHead<number>> {
    const isSame = seen === this.#stored.revision;
    this.asked.push(isSame ? "written" : "refused");
    if (isSame) this.#stored = { head, revision: seen + 1 };
    return this.#stored;
  }
}

let heads: Heads;
let keeper: TimeKeeper<number>;
let other: TimeKeeper<number>;
const open = (name: string): TimeKeeper<number> => new TimeKeeper(heads, new HybridClock(runtime), name);

beforeEach(async () => {
  nowMs = 50_000;
  const timeMs = 1_000;
  const quietLimitMs = STALE_MS / 4;
  heads = new Heads({
    ...{
      birth: "b",
      staleAfterMs: STALE_MS,
      generation: 7,
      agreed: true,
      memberCount: 2,
      timeMs,
      keeper: "",
      keptMs: 0,
      intervalMs: 1_000,
      quietLimitMs,
      pausedUntilMs: 0,
    },
  });
  [keeper, other] = [open("keeper"), open("other")];
  await keeper.read();
  await other.read();
  heads.asked = [];
});

it("whoever comes first keeps the time", () => {
  expect([keeper.isKeeper, other.isKeeper]).toEqual([true, false]);
});

it("the keeper writes the time without reading it first", async () => {
  nowMs += FRESH_MS;
  expect((await keeper.read())?.timeMs).toBeCloseTo(1_000 + FRESH_MS);
  expect(heads.asked).toEqual(["written"]);
});

it("the keeper leaves it to its next sync to write a time that has only begun to grow old while it was read", async () => {
  nowMs += FRESH_MS / 4;
  heads.readMs = FRESH_MS / 4;
  await keeper.read();
  await keeper.read();
  expect(heads.asked).toEqual(["read", "written"]);
});

it("the keeper, whose own write came too late for a head that is old already, writes that one, too, and nobody waits for it", async () => {
  nowMs += FRESH_MS;
  const { head, revision } = await heads.read();
  await heads.replace(revision, { ...head, generation: 8 });
  heads.asked = [];
  expect((await keeper.read())?.timeMs).toBe(1_000);
  expect(heads.asked).toEqual(["refused", "written"]);
  await vi.waitFor(() => expect(keeper.head?.timeMs).toBeCloseTo(1_000 + FRESH_MS));
});

it("others only read it, however long ago they last did, as long as the keeper keeps it", async () => {
  for (let sync = 0; sync < 5; sync++) {
    nowMs += FRESH_MS;
    await keeper.read();
  }
  heads.asked = [];
  expect((await other.read())?.timeMs).toBeCloseTo(1_000 + 5 * FRESH_MS);
  expect(heads.asked).toEqual(["read"]);
});

it("somebody else writes it when it is too old to be answered, and stays in the background", async () => {
  nowMs += 1.5 * FRESH_MS;
  await other.read();
  expect(heads.asked).toEqual(["read", "written"]);
  expect(other.isKeeper).toBe(false);
});

it("somebody else takes over when the keeper was not heard of for a quarter of the stale age", async () => {
  nowMs += STALE_MS / 4 + 1;
  await other.read();
  expect(other.isKeeper).toBe(true);
  await keeper.read();
  expect(keeper.isKeeper).toBe(false);
});

it("while a group learns its head says that nobody agrees, though all have adopted the generation", () => {
  const table = new ReferenceTable();
  const member = newcomer({ learningMs: 3_000 });
  const joined = ledger.register(table, member, 1_000);
  const headNow = (): Head | undefined => keeper.headFor(table.group() as GroupRow, "b", undefined, true);
  expect(table.group()).toMatchObject({ adopted: 1, memberCount: 1 });
  expect(headNow()).toMatchObject({ agreed: false });
  for (const [seq, atMs] of [2_000, 3_000, 4_000].entries())
    ledger.sync(table, refOf(member), adopting(joined, seq + 2), atMs);
  expect(headNow()).toMatchObject({ agreed: true });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Holding } from "../../src/consensus/holding.ts";
import type { MemberView, Report, Use } from "../../src/index.ts";
import { deregister, type GroupRow, register, sync } from "../../src/ledger/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { registration } from "./support/group.ts";

/** A group of two or more members with `max` 100 that have all of it, at 250 ms into epoch 1,000. */
class Store {
  readonly table = new MemoryTable();
  clockMs = 1_000_250;
  #seq = 1;

  constructor(dataSinceMs = 0) {
    this.dataSinceMs = dataSinceMs;
  }

  readonly dataSinceMs: number;

  get row(): GroupRow {
    return this.table.group() as GroupRow;
  }

  join(name: string, changes: Parameters<typeof registration>[1] = {}): MemberView {
    const joining = registration(name, { seq: ++this.#seq, ...changes });
    return register(this.table, joining, this.clockMs, this.dataSinceMs) as MemberView;
  }

  beat(name: string, held: number, changes: Partial<Report> = {}): MemberView {
    const report = { seq: ++this.#seq, generation: 0, members: 0, held, max: 100, level: null, ...changes };
    return sync(this.table, { id: name, incarnation: name }, report, this.clockMs) as MemberView;
  }

  leave(name: string, use?: Use): void {
    const farewell = { seq: ++this.#seq, level: null, ...(use && { use }) };
    deregister(this.table, { id: name, incarnation: name }, farewell, this.clockMs);
  }
}

/** `a` alone holds everything, and `b` has just joined. */
function pair(): Store {
  const store = new Store();
  store.join("a");
  store.join("b");
  return store;
}

const startOf = ({ entitled, early, fromEpoch }: MemberView): object => ({ entitled, early, fromEpoch });

describe("freed tokens", () => {
  it("start in the epoch that runs, as far as nobody has used them in it", () => {
    const store = pair();
    // 70 were used in it: 50 of those it keeps, and 20 of those it gives up.
    store.beat("a", 50, { use: { epoch: 1_000, used: 70 } });
    expect(startOf(store.beat("b", 0))).toEqual({ entitled: 50, early: 30, fromEpoch: 1_001 });
    expect(store.row).toMatchObject({ freedEpoch: 1_000, spent: 20 });
  });

  it("start at once in whole when they were not used in it", () => {
    const store = pair();
    store.beat("a", 50, { use: { epoch: 1_000, used: 50 } });
    expect(startOf(store.beat("b", 0))).toEqual({ entitled: 50, early: 50, fromEpoch: 1_001 });
  });

  it("that were used in an epoch before start at once in the one that runs", () => {
    const store = pair();
    store.beat("a", 50, { use: { epoch: 999, used: 100 } });
    expect(startOf(store.beat("b", 0))).toEqual({ entitled: 50, early: 0, fromEpoch: 1_000 });
  });

  it("count as used in the newest epoch that anybody may have begun when nothing is said of their use", () => {
    const store = new Store();
    store.join("a", { clockErrorMs: 800 });
    store.join("b");
    store.beat("a", 50);
    expect(startOf(store.beat("b", 0))).toEqual({ entitled: 50, early: 0, fromEpoch: 1_002 });
  });

  it("are never unspent again by a raise, a repeat or somebody else's freeing in the same or an older epoch", () => {
    const store = pair();
    store.join("c");
    store.beat("a", 33, { use: { epoch: 1_000, used: 60 } });
    expect(store.row.spent).toBe(27);
    expect(store.beat("b", 0)).toMatchObject({ entitled: 33, early: 33 });
    expect(store.row.spent).toBe(27);
    // The answer was lost: what it was raised by becomes free again, unused.
    store.beat("b", 0, { use: { epoch: 1_000, used: 0 } });
    expect(store.row.spent).toBe(27);
    store.beat("b", 10, { use: { epoch: 998, used: 33 } });
    expect(store.row).toMatchObject({ freedEpoch: 1_000, spent: 27 });
    store.beat("b", 10, { use: { epoch: 1_001, used: 12 }, observedMs: 1_001_000 });
    expect(store.row).toMatchObject({ freedEpoch: 1_001, spent: 2 });
  });

  it("may be used in no epoch that is further ahead than anybody's clock may be, whatever is reported", () => {
    const store = pair();
    store.beat("a", 50, { use: { epoch: 5_000_000, used: 100 } });
    expect(startOf(store.beat("b", 0))).toEqual({ entitled: 50, early: 0, fromEpoch: 1_001 });
  });

  it("of one that says farewell start at once, but for those it used", () => {
    const store = pair();
    store.beat("a", 50, { use: { epoch: 1_000, used: 50 } });
    store.beat("b", 0);
    store.leave("a", { epoch: 1_000, used: 15 });
    expect(startOf(store.beat("b", 50))).toEqual({ entitled: 100, early: 35, fromEpoch: 1_001 });
  });

  it("of one that went stale, and of one that left without a word, start with the next epoch", () => {
    const silent = pair();
    silent.beat("a", 50, { use: { epoch: 1_000, used: 50 } });
    for (let ms = 0; ms < 12_000; ms += 1_000) {
      silent.clockMs += 1_000;
      silent.beat("b", 50);
    }
    expect(silent.row.memberCount).toBe(1);
    expect(silent.row).toMatchObject({ freedEpoch: expect.any(Number), spent: 50 });
    const left = pair();
    left.leave("a");
    expect(startOf(left.beat("b", 0))).toEqual({ entitled: 100, early: 0, fromEpoch: 1_001 });
  });
});

describe("the first tokens of a group", () => {
  it("start at once where nothing can have been lost", () => {
    expect(startOf(new Store().join("a"))).toEqual({ entitled: 100, early: 100, fromEpoch: 1 });
  });

  it("start with the next epoch where that is not known, and after it has learned", () => {
    expect(startOf(new Store(Number.POSITIVE_INFINITY).join("a"))).toEqual({
      entitled: 100,
      early: 0,
      fromEpoch: 1_001,
    });
    const store = new Store(Number.POSITIVE_INFINITY);
    expect(store.join("a", { learningMs: 3_000 })).toMatchObject({ entitled: 0, learning: true });
    expect(store.row.freedEpoch).toBe(null);
    // Somebody of before may be using tokens that are on no record, until now.
    for (let ms = 0; ms < 3_000; ms += 1_000) {
      store.clockMs += 1_000;
      store.beat("a", 0, { use: { epoch: 1_000, used: 0 } });
    }
    expect(startOf(store.beat("a", 0))).toEqual({ entitled: 100, early: 0, fromEpoch: 1_004 });
  });
});

it("a capacity that grew counts from the next epoch", () => {
  const store = pair();
  store.beat("a", 50, { use: { epoch: 1_000, used: 0 } });
  store.beat("b", 0, { max: 40 });
  store.beat("a", 20, { use: { epoch: 1_000, used: 0 } });
  const raised = store.beat("b", 20, { max: 90 });
  expect(startOf(raised)).toEqual({ entitled: 45, early: 0, fromEpoch: 1_001 });
});

it("one that comes back and is on no record may have used what nobody knows of", () => {
  const store = pair();
  store.beat("a", 50, { use: { epoch: 1_000, used: 0 } });
  store.join("c", { rejoin: true, claim: 10 });
  store.beat("a", 33, { use: { epoch: 1_000, used: 0 } });
  expect(startOf(store.beat("b", 0))).toEqual({ entitled: 33, early: 0, fromEpoch: 1_001 });
});

it("the first one in a group that has learned, and was left, starts as late as if its clock error counted all along", () => {
  const store = new Store(Number.POSITIVE_INFINITY);
  store.join("a", { learningMs: 2_000, clockErrorMs: 250 });
  store.leave("a");
  for (let ms = 0; ms < 1_500; ms += 500) {
    store.clockMs += 500;
    store.leave("a");
  }
  store.clockMs = 1_002_900;
  expect(startOf(store.join("b", { clockErrorMs: 250 }))).toEqual({ entitled: 100, early: 0, fromEpoch: 1_004 });
});

it("one that comes back while the group learns does not end what nobody knows of before it has learned", () => {
  const store = new Store(Number.POSITIVE_INFINITY);
  store.join("a", { rejoin: true, claim: 10, learningMs: 1_000 });
  expect(store.row.freedEpoch).toBe(null);
  // A member of before may have used its share in epoch 1,001, and may not any more.
  store.clockMs += 1_000;
  const answer = store.beat("a", 0, { use: { epoch: 1_001, used: 10 } });
  expect(startOf(answer)).toEqual({ entitled: 100, early: 0, fromEpoch: 1_002 });
});

it("an exact split starts after every epoch in which the one before was in use, and delays no raise", () => {
  const store = pair();
  const { generation, members } = store.beat("a", 50, { use: { epoch: 1_000, used: 50 } });
  store.beat("b", 0);
  store.clockMs += 1_000;
  // Both adopt the generation, and neither gives up anything.
  store.beat("b", 50, { generation, members, use: { epoch: 1_000, used: 50 } });
  const agreed = store.beat("a", 50, { generation, members, use: { epoch: 1_001, used: 50 } });
  expect(agreed).toMatchObject({ status: "agree", fromEpoch: 1_002 });
  expect(store.row).toMatchObject({ freedEpoch: 1_001, spent: 0 });
});

it("a group that has no members left and goes on with another interval numbers its epochs anew", () => {
  const store = new Store();
  store.join("a", { intervalMs: 100 });
  store.leave("a", { epoch: 10_002, used: 100 });
  expect(startOf(store.join("b", { intervalMs: 60_000 }))).toEqual({ entitled: 100, early: 0, fromEpoch: 17 });
});

/** A member that does as the protocol says, with callers that use what they like. */
class Player {
  holding = new Holding();
  seq = 1;
  max = 12;
  epoch = 0;
  used = 0;
  discharged = 0;
  /** What it was told last, if it has not read it yet. */
  answer:
    | { readonly view: MemberView; readonly spent: { readonly use: Use; readonly tokens: number } | undefined }
    | undefined;
  joined = false;

  turnTo(epoch: number): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.used = 0;
    this.discharged = 0;
  }

  get left(): number {
    this.holding.advance(this.epoch);
    return Math.max(0, this.holding.shareAt(this.max, this.epoch).tokens - (this.used - this.discharged));
  }
}

/** How far the clocks of four members are ahead of the store's. */
const AHEAD_MS = [-200, 0, 90, 200];

const move = fc.record({
  who: fc.nat(3),
  what: fc.constantFrom("call", "call", "call", "lost", "read", "read", "use", "use", "use", "leave"),
  waitMs: fc.oneof({ weight: 12, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(1_500) }),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
});

it("no epoch is granted more than the capacity, whoever uses what, with clocks that differ and answers that are lost or late", () => {
  let early = 0;
  fc.assert(
    fc.property(fc.array(move, { minLength: 120, maxLength: 120 }), (moves) => {
      const table = new MemoryTable();
      const players = [0, 1, 2, 3].map(() => new Player());
      const granted = new Map<number, number>();
      let clockMs = 1_000_000;
      for (const { who, what, waitMs, part } of moves) {
        clockMs += waitMs;
        const player = players[who] as Player;
        player.turnTo(Math.floor((clockMs + (AHEAD_MS[who] as number)) / 1_000));
        const observedMs = player.epoch * 1_000 - 200 + 1;
        const use = { epoch: player.epoch, used: Math.max(0, player.used - player.discharged) };
        if (what === "use") {
          const tokens = Math.ceil(player.left * part);
          player.used += tokens;
          granted.set(player.epoch, (granted.get(player.epoch) ?? 0) + tokens);
          expect(granted.get(player.epoch)).toBeLessThanOrEqual(12);
        } else if (what === "read" && player.answer) {
          const { view, spent } = player.answer;
          player.answer = undefined;
          if (spent && spent.use.epoch === player.epoch) player.discharged += Math.max(0, spent.tokens);
          player.holding.accept(view);
        } else if ((what === "call" || what === "lost") && !player.answer) {
          const { held, generation, members } = player.holding;
          player.seq += 1;
          const times = { staleAfterMs: 1e9, clockErrorMs: 200, max: 12, observedMs };
          const view = player.joined
            ? sync(
                table,
                member(who),
                { seq: player.seq, generation, members, held, max: 12, level: null, observedMs, use },
                clockMs,
              )
            : register(table, registration(`p${who}`, { seq: player.seq, ...times }), clockMs, 0);
          const spent = player.joined ? { use, tokens: use.used - held } : undefined;
          player.joined = true;
          if (!("held" in view)) throw new Error(view.status);
          early += view.early;
          if (what === "call") player.answer = { view, spent };
        } else if (what === "leave" && player.joined) {
          deregister(table, member(who), { seq: ++player.seq, level: null, observedMs, use }, clockMs);
          players[who] = Object.assign(new Player(), { seq: player.seq });
        }
      }
    }),
    { numRuns: 1_000 },
  );
  expect(early).toBeGreaterThan(0);
});

function member(who: number): { id: string; incarnation: string } {
  return { id: `p${who}`, incarnation: `p${who}` };
}

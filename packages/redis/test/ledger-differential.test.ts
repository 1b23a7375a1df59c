import {
  type Demand,
  type DemandView,
  type GroupSnapshot,
  isDtError,
  type MemberRef,
  type MemberView,
  type Registration,
  type Use,
  type View,
} from "@dt/core";
import * as reference from "@dt/core/ledger";
import { VirtualRuntime } from "@dt/core/testing";
import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { ReferenceTable } from "@dt-tooling/worlds/reference-table";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ScriptedLedger } from "./support/scripted-ledger.ts";

/**
 * The scripts against the ledger of @dt/core: the same random operations at the same times, on a real server with a
 * test clock, must give the same views, refusals and snapshots, to the last digit of every time.
 */

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { autoResendUnfulfilledCommands: false });
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

interface Member extends MemberRef {
  readonly byDemand: boolean;
  seq: number;
  view: View | undefined;
  observedMs: number;
}

const OPERATIONS = 400;
/** Later than any real time, so that the server does not find the keys expired. */
const START_MS = 4_000_000_000_000;
/** Answers and refusals over all seeds: what was never reached was never compared. */
const everSeen = new Set<string>();
/** How raises began over all seeds (R20). */
const everStarted = new Set<string>();
/** What members that share by demand were told over all seeds (R21 to R23). */
const everTold = new Set<string>();
const seeds = Array.from({ length: 12 }, (_, i) => i + 1);

describe("the scripts and the ledger of @dt/core agree", () => {
  test.each(seeds)("over 400 random operations, seed %i", async (seed) => {
    const chance = new VirtualRuntime({ seed });
    const pick = <T>(...values: readonly T[]): T => values[Math.floor(chance.random() * values.length)] as T;
    const scripted = new ScriptedLedger(redis, `differential-${process.pid}-${seed}`);
    let table = new ReferenceTable();
    const members: Member[] = [];
    const learningMs = pick(0, 0, 1_500);
    const useOf = (held: number, begunMs: number): { use?: Use } => {
      if (chance.random() < 0.15) return {};
      const epoch = Math.floor(begunMs / 1_000) - pick(0, 0, 0, 1, 1, 2, -1, -40);
      return { use: { epoch, used: Math.floor(chance.random() * (held + 3)) } };
    };
    // Who shares by demand wants now nothing, now a little, now more than there is; a few change their minds.
    const byDemand = seed % 3 === 0 ? 0 : pick(0.4, 0.7, 1);
    const demandOf = (member: Member): { demand?: Demand } => {
      if (member.byDemand === chance.random() < 0.03 * byDemand) return {};
      return { demand: { want: pick(0, 0, 1, 3, 7, 7, 17, 33, 1e12), syncMs: pick(1_000, 1_000, 250.5) } };
    };
    let clockMs = START_MS + Math.floor(chance.random() * 1e6) / 1_000;
    let incarnations = 0;

    const compare = async (what: string, actual: Promise<unknown>, expected: () => unknown): Promise<unknown> => {
      const [mine, theirs] = [await settled(actual), await settled((async () => expected())())];
      expect(mine, what).toEqual(theirs);
      return mine;
    };

    for (let i = 0; i < OPERATIONS; i++) {
      clockMs += pick(0, 0.137, 3.5, 90.001, 400, 400, 1_100, 2_600);
      if (chance.random() < 0.02) clockMs += pick(-50_000, 60_000, -3, 0.5, 6_000_000);
      if (chance.random() < 0.01) {
        await scripted.loseData("g");
        table = new ReferenceTable();
      }
      const action = chance.random();
      const member = pick(...members);
      if (member === undefined || action < 0.2) {
        const rejoin = member !== undefined && chance.random() < 0.4;
        const self: Member = rejoin
          ? member
          : {
              id: `p${Math.floor(chance.random() * 3)}`,
              incarnation: `b${incarnations++}`,
              byDemand: chance.random() < byDemand,
              seq: 0,
              view: undefined,
              observedMs: 0,
            };
        if (!rejoin) members.push(self);
        const registration = {
          id: self.id,
          incarnation: self.incarnation,
          seq: ++self.seq,
          rejoin,
          claim: rejoin ? pick(0, 1, 7) : 0,
          max: pick(20, 20, 20, 21, 5, 1e12),
          intervalMs: chance.random() < 0.03 ? 2_000 : 1_000,
          staleAfterMs: seed % 2 === 0 ? pick(9_000, 8_192.5, 2_500) : pick(4_000, 4_000.5, 2_500),
          learningMs,
          level: pick(null, 0, 3.3333333333333335, 1e-9),
          resumeWithinMs: pick(0, 8_000, 700.25),
          clockErrorMs: pick(0, 10, 250.5),
          observedMs: self.observedMs + pick(0, 0, 0, 0, 777.5),
          ...demandOf(self),
        };
        const view = await compare(`${i}: register`, scripted.register("g", registration, clockMs), () =>
          reference.register(table, registration, clockMs),
        );
        remember(self, view);
      } else if (action < 0.85) {
        const view = member.view;
        const repeat = chance.random() < 0.05;
        if (!repeat) member.seq += pick(1, 1, 1, 3);
        const known = view !== undefined && "generation" in view ? view : undefined;
        const report = {
          seq: repeat ? Math.max(1, member.seq - pick(0, 1)) : member.seq,
          generation: chance.random() < 0.1 ? 17 : (known?.generation ?? 0),
          poolSize: known?.poolSize ?? 0,
          held: Math.max(
            0,
            ((chance.random() < 0.8 ? known?.entitled : known?.held) ?? 0) - pick(0, 0, 0, 0, 1, 5, 99),
          ),
          max: chance.random() < 0.03 ? pick(10, 30) : 20,
          level: pick(null, 4.4, 12),
          observedMs: member.observedMs + pick(0, 0, 0, 0, 0, 333.25),
          ...useOf(known?.held ?? 0, clockMs),
          ...demandOf(member),
          ...(i % 5 === 0 ? {} : { activity: { used: i % 7 === 0 ? 1e12 : i, waiting: i % 3 } }),
        };
        remember(
          member,
          await compare(`${i}: sync`, scripted.sync("g", member, report, clockMs), () =>
            reference.sync(table, member, report, clockMs),
          ),
        );
      } else if (action < 0.92) {
        const held = member.view && "held" in member.view ? member.view.held : 0;
        const farewell = {
          seq: ++member.seq,
          level: pick(null, 9.75),
          observedMs: member.observedMs + pick(0, 0, 42),
          ...useOf(held, clockMs),
        };
        await compare(`${i}: deregister`, scripted.deregister("g", member, farewell, clockMs), () =>
          reference.deregister(table, member, farewell, clockMs),
        );
      }
      // A state that differs stays so: it is looked at after every other operation.
      if (i % 2 === 0) continue;
      const snapshot = (await compare(`${i}: inspect`, scripted.inspect("g", clockMs), () =>
        reference.inspect(table, "g", clockMs),
      )) as GroupSnapshot;
      expect(snapshot.members.map((row) => row.rank)).toEqual(snapshot.members.map((_, rank) => rank));
      expect(await scripted.misplaced("g"), `${i}: places`).toEqual([]);
      const row = table.group();
      if (row) expect(await scripted.stored("g"), `${i}: rows`).toEqual({ group: row, members: table.members() });
    }

    function remember(self: Member, view: unknown): void {
      if (isDtError(view)) return void everSeen.add(view.code);
      self.view = view as View;
      everSeen.add(self.view.status);
      if ("early" in self.view && self.view.entitled > 0)
        everStarted.add(self.view.early === 0 ? "later" : self.view.early < self.view.entitled ? "in part" : "at once");
      if ("demand" in self.view) for (const told of toldOf(self.view.demand as DemandView)) everTold.add(told);
      self.observedMs = Math.max(self.observedMs, self.view.storeTimeMs);
    }
  });

  test.each([
    [4, 2, 4],
    [4, 5, 4],
    [5, 3, 5],
    [7, 200, 7],
    [60, 200, 60],
    // The others share evenly, and take turns as well.
    [4, 1, 1],
    [5, 3, 2],
    [12, 10, 1],
    [60, 20, 59],
  ])("over 600 reports of %i members that take turns at %i tokens, %i by demand", async (size, max, demanding) => {
    const chance = new VirtualRuntime({ seed: size * max });
    const scripted = new ScriptedLedger(redis, `turns-${process.pid}-${size}-${max}-${demanding}`);
    const table = new ReferenceTable();
    const members = Array.from({ length: size }, () => newcomer({ max, staleAfterMs: 600_000 }));
    const demand = { want: max, syncMs: 1_000 };
    const views: MemberView[] = [];
    for (const [at, member] of members.entries()) {
      const registration = at < demanding ? { ...member, demand } : member;
      const view = await scripted.register("g", registration, START_MS);
      expect(view).toEqual(reference.register(table, registration, START_MS));
      views.push(accepted(view));
    }
    const turns = new Set<number>();
    for (let i = 0; i < 600; i++) {
      const at = i % size;
      const [member, view] = [members[at] as Registration, views[at] as MemberView];
      const clockMs = START_MS + 1_000 + Math.floor(((i + chance.random()) * 1_000) / size);
      if (view.demand ? view.demand.odd : view.entitled > 0) turns.add(at);
      // Members come down to the level, with an odd token for an interval, as processors do; now and then one idles.
      const kept = Math.min(
        view.held,
        (view.demand?.level ?? 0) + (view.demand?.odd && Math.floor(i / size) % 3 === 0 ? 1 : 0),
      );
      const epoch = Math.floor(clockMs / 1_000);
      const report =
        at < demanding
          ? adopting(view, i + 2, {
              ...{ held: kept, use: { epoch, used: view.held } },
              demand: chance.random() < 0.1 ? { ...demand, want: 0 } : demand,
            })
          : adopting(view, i + 2, { use: { epoch, used: chance.random() < 0.7 ? view.held : 0 } });
      const next = await scripted.sync("g", member, report, clockMs);
      expect(next, String(i)).toEqual(reference.sync(table, member, report, clockMs));
      views[at] = accepted(next);
    }
    expect(turns.size, "members that had a turn").toBeGreaterThan(size === demanding ? 1 : size - 2);
  });

  test("and every kind of answer was among them", () => {
    expect([...everSeen].sort()).toEqual(["DT_INTERVAL_MISMATCH", "agree", "disagree", "fenced", "unknown"]);
  });

  test("and every kind of start", () => {
    expect([...everStarted].sort()).toEqual(["at once", "in part", "later"]);
  });

  test("and all that members can be told whose shares follow demand", () => {
    expect([...everTold].sort()).toEqual(["hungry", "in plenty", "scarce", "tight", "with an odd token"]);
  });

  // The sorted set of expiry has the latter on a grid: see table.lua.
  test.each([
    [8_000, [1_151, 1_151, 1_151, 151, 1, 1, 1]],
    [10_000, [1_151, 1_151, 1_151, 1_151, 151, 1, 1]],
  ])(
    "when 1,150 members die at once whose stale age is %i ms: 1,000 go with each operation, and their levels are remembered",
    async (staleAfterMs, poolSizes) => {
      const scripted = new ScriptedLedger(redis, `mass-death-${process.pid}-${staleAfterMs}`);
      const table = new ReferenceTable();
      const dead = Array.from({ length: 1_150 }, () =>
        newcomer({ max: 5_000, staleAfterMs, level: 1, resumeWithinMs: 60_000 }),
      );
      const survivor = newcomer({ max: 5_000, staleAfterMs: 100_000 });
      let view: View | undefined;
      for (const registration of [...dead, survivor]) {
        view = await scripted.register("g", registration, START_MS);
        expect(view).toEqual(reference.register(table, registration, START_MS));
      }
      const sizes: number[] = [];
      for (let seq = 2; seq < 9; seq++) {
        const report = adopting(view as View, seq);
        const clockMs = START_MS + seq * 2_000;
        view = await scripted.sync("g", survivor, report, clockMs);
        expect(view).toEqual(reference.sync(table, survivor, report, clockMs));
        sizes.push(accepted(view).poolSize);
      }
      expect(sizes).toEqual(poolSizes);
      const again = newcomer({ id: dead[1_100]?.id ?? "" });
      const resumed = await scripted.register("g", again, START_MS + 20_000);
      expect(resumed).toEqual(reference.register(table, again, START_MS + 20_000));
      expect(resumed).toMatchObject({ resumeLevel: 1 });
    },
    60_000,
  );

  test("when 1,150 members go silent one after the other, those that are looked at last first", async () => {
    const scripted = new ScriptedLedger(redis, `slow-death-${process.pid}`);
    const table = new ReferenceTable();
    const silent = Array.from({ length: 1_150 }, (_, i) =>
      newcomer({ incarnation: `boot-${9_999 - i}`, max: 5_000, staleAfterMs: 10_000 }),
    );
    // Its time is over first: then somebody looks, and sees 1,000 of the others, and the rest with the next report.
    const scout = newcomer({ incarnation: "boot-0", max: 5_000, staleAfterMs: 8_500 });
    const survivor = newcomer({ max: 5_000, staleAfterMs: 100_000 });
    let view: View | undefined;
    for (const [i, registration] of [...silent, scout, survivor].entries()) {
      view = await scripted.register("g", registration, START_MS + i);
      expect(view).toEqual(reference.register(table, registration, START_MS + i));
    }
    const sizes = new Set<number>();
    for (let [seq, afterMs] = [2, 2_000]; afterMs < 12_000; afterMs += afterMs < 9_000 ? 1_000 : 50) {
      const report = adopting(view as View, seq++);
      view = await scripted.sync("g", survivor, report, START_MS + afterMs);
      expect(view, `after ${afterMs} ms`).toEqual(reference.sync(table, survivor, report, START_MS + afterMs));
      sizes.add(accepted(view).poolSize);
    }
    expect(sizes.size).toBeGreaterThan(20);
  }, 60_000);
});

function toldOf({ level, extra, odd, tight, hungry }: DemandView): readonly string[] {
  const told = { hungry, tight, "with an odd token": odd, "in plenty": extra > 0, scarce: extra === 0 && level < 20 };
  return Object.entries(told).flatMap(([what, is]) => (is ? [what] : []));
}

async function settled(operation: Promise<unknown>): Promise<unknown> {
  try {
    return await operation;
  } catch (error) {
    if (!isDtError(error)) throw error;
    return error;
  }
}

import {
  type Demand,
  type GroupSnapshot,
  isDtError,
  type MemberRef,
  type MemberView,
  type Registration,
  type Report,
  type Use,
  type View,
} from "@dt/core";
import * as reference from "@dt/core/ledger";
import { VirtualRuntime } from "@dt/core/testing";
import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import { ReferenceTable } from "@dt-tooling/worlds/reference-table";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresStore, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { TestClock } from "./support/test-clock.ts";

/**
 * The store against the ledger of @dt/core: the same random operations at the same times, on a real server with a test
 * clock, must give the same views, refusals and snapshots, to the last digit of every time.
 */

let server: PostgresServer;
let admin: Admin;
let store: PostgresStore;
let clock: TestClock;
const schema = `differential_${process.pid}`;

beforeAll(async () => {
  // Thousands of commits, of which none must outlive the server.
  server = await startPostgres({ control: true, config: { fsync: "off" } });
  admin = new Admin(server.url);
  store = postgresStore({ connectionString: server.url, schema, timeout: "30s" });
  await store.inspect("g");
  clock = await TestClock.install(admin, schema);
});

afterAll(async () => {
  await store?.close();
  await admin?.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await admin?.close();
  await server?.stop();
});

interface Member extends MemberRef {
  seq: number;
  view: View | undefined;
  observedMs: number;
  readonly byDemand: boolean;
  /** What it wants mostly. */
  readonly want: number;
}

const OPERATIONS = 400;
const START_MS = 1_800_000_000_000;
/** Answers and refusals over all seeds: what was never reached was never compared. */
const everSeen = new Set<string>();
const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

describe("the store and the ledger of @dt/core agree", () => {
  test.each(seeds)("over 400 random operations, seed %i", { timeout: 60_000 }, async (seed) => {
    const chance = new VirtualRuntime({ seed });
    const pick = <T>(...values: readonly T[]): T => values[Math.floor(chance.random() * values.length)] as T;
    const group = `random-${seed}`;
    const table = new ReferenceTable();
    const members: Member[] = [];
    const learningMs = pick(0, 0, 1_500, 5_000);
    // In three groups of four some members share by demand, or all do. In those few come or go, and the tokens are too
    // few for all, so that there is time for turns.
    const byDemand = [0, 0.5, 0.8, 1][seed % 4] as number;
    const calm = byDemand === 1;
    const usualMax = calm ? pick(5, 11, 20) : pick(20, 64, 130, 1_000);
    let clockMs = START_MS + Math.floor(chance.random() * 1e6) / 1_000;
    let setMs = 0;
    let incarnations = 0;
    const dataSinceMs = clockMs - pick(0, 700.125, 3_000, 10_000, START_MS, -4_000);
    await haveDataSince(dataSinceMs);

    const compare = async (what: string, actual: () => Promise<unknown>, expected: () => unknown): Promise<unknown> => {
      if (clockMs !== setMs) await clock.set(clockMs);
      setMs = clockMs;
      const [mine, theirs] = [await settled(actual()), await settled((async () => expected())())];
      expect(mine, what).toEqual(theirs);
      return mine;
    };

    /** What a member says it used: mostly in the epoch that runs, and up to a little more than it held. */
    const useOf = ({ view }: Member): { readonly use?: Use } => {
      if (chance.random() < 0.25) return {};
      const epoch = Math.floor(clockMs / 1_000) + pick(0, 0, 0, -1, 1, -7_000);
      const held = view !== undefined && "held" in view ? view.held : 0;
      return { use: { epoch, used: pick(0, held, Math.floor(chance.random() * (held + 3))) } };
    };

    /** Who shares by demand wants now nothing, now a little, now more than there is; a few change their minds. */
    const demandOf = (member: Member): { readonly demand?: Demand } => {
      if (member.byDemand === chance.random() < 0.06) return {};
      const want = chance.random() < (calm ? 0.97 : 0.7) ? member.want : pick(0, 0, 1, 3, 7, 17, 33, 50, 997, 1e12);
      return { demand: { want, syncMs: pick(1_000, 1_000, 250.5) } };
    };

    /** What a member of a calm group goes on with: what it is due, and for some time an odd token. */
    const keptBy = ({ view }: Member): number => {
      if (view === undefined || !("held" in view)) return 0;
      const { entitled, demand } = view;
      return demand ? Math.min(entitled, demand.level + (demand.odd && chance.random() < 0.7 ? 1 : 0)) : entitled;
    };

    for (let i = 0; i < OPERATIONS; i++) {
      clockMs += calm ? pick(0.137, 90.001, 90.001, 250) : pick(0, 0.137, 3.5, 90.001, 400, 400, 1_100, 2_600);
      if (chance.random() < (calm ? 0 : 0.02)) clockMs += pick(-50_000, 60_000, -3, 0.5, 6_000_000);
      const action = chance.random();
      // Those who came last are the ones whose ids are contested.
      const member = chance.random() < 0.6 ? pick(...members.slice(-5)) : pick(...members);
      if (member === undefined || action < (calm ? 0.02 : 0.12)) {
        const rejoin = member !== undefined && chance.random() < 0.4;
        const self: Member = rejoin
          ? member
          : {
              id: `p${Math.floor(chance.random() * 8)}`,
              incarnation: `b${incarnations++}`,
              seq: 0,
              view: undefined,
              observedMs: 0,
              byDemand: chance.random() < byDemand,
              want: calm ? pick(2, 3, 4, 5, 33) : pick(0, 0, 1, 3, 7, 15, 17, 33, 50, 997),
            };
        if (!rejoin) members.push(self);
        const registration = {
          id: self.id,
          incarnation: self.incarnation,
          seq: ++self.seq,
          rejoin,
          claim: rejoin ? pick(0, 1, 7) : 0,
          max: calm ? usualMax : pick(usualMax, usualMax, usualMax, usualMax + 1, 5, 1e12),
          intervalMs: chance.random() < 0.03 ? 2_000 : 1_000,
          staleAfterMs: pick(4_000, 4_000.5, 2_500),
          ...pick({}, { clockErrorMs: 0 }, { clockErrorMs: 250 }, { clockErrorMs: 10.0625 }),
          learningMs,
          level: pick(null, 0, 3.3333333333333335, 1e-9, 5e-324),
          resumeWithinMs: pick(0, 8_000, 700.25),
          observedMs: self.observedMs,
          ...demandOf(self),
        };
        const view = await compare(
          `${i}: register`,
          () => store.register(group, registration),
          () => reference.register(table, registration, clockMs, dataSinceMs),
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
          held: calm ? keptBy(member) : ((chance.random() < 0.8 ? known?.entitled : known?.held) ?? 0),
          max: chance.random() < (calm ? 0 : 0.03) ? pick(10, 30, 100) : usualMax,
          level: pick(null, 4.4, 12),
          observedMs: member.observedMs + pick(0, 0, 0, 0, 0, 333.25),
          ...useOf(member),
          ...demandOf(member),
          ...(i % 5 === 0 ? {} : { activity: { used: i % 7 === 0 ? 1e12 : i, waiting: i % 3 } }),
        };
        const next = await compare(
          `${i}: sync`,
          () => store.sync(group, member, report),
          () => reference.sync(table, member, report, clockMs),
        );
        remember(member, next);
      } else if (action < (calm ? 0.86 : 0.92)) {
        const farewell = {
          seq: ++member.seq,
          level: pick(null, 9.75),
          observedMs: member.observedMs + pick(0, 0, 42),
          ...useOf(member),
        };
        await compare(
          `${i}: deregister`,
          () => store.deregister(group, member, farewell),
          () => reference.deregister(table, member, farewell, clockMs),
        );
      }
      // A state that differs stays so: it is looked at after every other operation.
      if (i % 2 === 0) continue;
      const snapshot = (await compare(
        `${i}: inspect`,
        () => store.inspect(group),
        () => reference.inspect(table, group, clockMs),
      )) as GroupSnapshot;
      expect(snapshot.members.map((row) => row.rank)).toEqual(snapshot.members.map((_, rank) => rank));
      await compare(
        `${i}: freed tokens, wants and turns`,
        () => besideOf(group),
        () => {
          const row = table.group();
          if (!row) return undefined;
          const turns = table.members().map(({ odd, gaveUpMs, restUntilMs }) => [odd, gaveUpMs, restUntilMs]);
          const { freedEpoch, spent, wants, hungryMs } = row;
          return { freedEpoch, spent, wants: wants?.flat(), hungryMs, turns };
        },
      );
    }

    function remember(self: Member, view: unknown): void {
      if (isDtError(view)) return void everSeen.add(view.code);
      self.view = view as View;
      everSeen.add(self.view.status);
      if ("early" in self.view && self.view.early > 0) everSeen.add("early");
      if ("demand" in self.view && self.view.demand) {
        const { level, odd, tight, hungry, reserve, extra } = self.view.demand;
        const seen = { scarce: level < self.view.capacity, odd, tight, hungry, reserve: reserve > 0, extra: extra > 0 };
        for (const [name, holds] of Object.entries(seen)) if (holds) everSeen.add(name);
      }
      self.observedMs = Math.max(self.observedMs, self.view.storeTimeMs);
    }
  });

  test("and every kind of answer was among them", () => {
    expect([...everSeen].sort()).toEqual([
      ...["DT_INTERVAL_MISMATCH", "agree", "disagree", "early", "extra", "fenced", "hungry", "odd", "reserve"],
      ...["scarce", "tight", "unknown"],
    ]);
  });

  test("a new group uses its tokens at once when all epochs are over in which lost ones can have been used", async () => {
    const expected = [
      [1_999, { held: 10, early: 0, fromEpoch: START_MS / 1_000 + 3 }],
      [2_000, { held: 10, early: 10, fromEpoch: 1 }],
    ] as const;
    await haveDataSince(START_MS);
    for (const [ageMs, start] of expected) {
      await clock.set(START_MS + ageMs);
      const registration = newcomer({ learningMs: 500, clockErrorMs: 250 });
      const view = await store.register(`in data of ${ageMs} ms`, registration);
      expect(view).toMatchObject(start);
      expect(view).toEqual(reference.register(new ReferenceTable(), registration, START_MS + ageMs, START_MS));
    }
  });

  test("a level that is left again is remembered from then on", async () => {
    const table = new ReferenceTable();
    const at = async (ms: number): Promise<number> => {
      await clock.set(START_MS + ms);
      return START_MS + ms;
    };
    const [first, second] = [1, 2].map((boot) =>
      newcomer({ id: "p", incarnation: `boot ${boot}`, resumeWithinMs: 5_000, staleAfterMs: 60_000 }),
    ) as [Registration, Registration];
    await haveDataSince(0);
    const startMs = await at(0);
    for (const member of [first, second])
      expect(await store.register("left again", member)).toEqual(reference.register(table, member, startMs, 0));
    for (const [member, level, ms] of [[first, 1, 200] as const, [second, 2, 4_000] as const]) {
      const nowMs = await at(ms);
      await store.deregister("left again", member, { seq: 2, level });
      reference.deregister(table, member, { seq: 2, level }, nowMs);
    }
    const nowMs = await at(8_000);
    const view = await store.register("left again", newcomer({ id: "p", incarnation: "boot 3" }));
    expect(view).toEqual(reference.register(table, newcomer({ id: "p", incarnation: "boot 3" }), nowMs));
    expect(view).toMatchObject({ resumeLevel: 2 });
  });

  test("a member that had an odd token, and shares evenly for a while, has none afterwards (R21, R23)", async () => {
    const table = new ReferenceTable();
    const demand = { want: 5, syncMs: 1_000 };
    const members = [1, 2].map(() => newcomer({ max: 5, staleAfterMs: 60_000, demand })) as [
      Registration,
      Registration,
    ];
    const views = new Map<Registration, View>();
    await haveDataSince(0);
    await clock.set(START_MS);
    for (const member of members) {
      views.set(member, await store.register("odd", member));
      expect(views.get(member)).toEqual(reference.register(table, member, START_MS, 0));
    }
    let seq = 1;
    const sync = async (member: Registration, ms: number, change: Partial<Report>): Promise<MemberView> => {
      await clock.set(START_MS + ms);
      const report = adopting(views.get(member) as View, ++seq, change);
      const view = await store.sync("odd", member, report);
      expect(view, `after ${ms} ms`).toEqual(reference.sync(table, member, report, START_MS + ms));
      views.set(member, view);
      return accepted(view);
    };
    const [first, second] = members;
    await sync(first, 500, { held: 2, demand });
    await sync(second, 1_000, { held: 2, demand });
    // Nobody is hungry any more.
    expect(await sync(first, 6_500, { held: 2, demand })).toMatchObject({ held: 3, demand: { odd: true } });
    await sync(first, 7_000, { held: 3 });
    expect(await sync(first, 7_500, { held: 3, demand })).toMatchObject({ held: 3, demand: { odd: false } });
    await sync(first, 8_000, { held: 2, demand });
  });

  test.each([
    [2, 1, 1],
    [5, 3, 2],
    [12, 10, 1],
    [12, 4, 11],
  ])(
    "over 300 reports of %i members that take turns at %i tokens, %i by demand, the others evenly",
    async (size, max, demanding) => {
      const chance = new VirtualRuntime({ seed: size * max });
      const table = new ReferenceTable();
      const group = `turns-${size}-${max}`;
      const demand = { want: max, syncMs: 1_000 };
      const members = Array.from({ length: size }, (_, at) =>
        newcomer({ max, staleAfterMs: 600_000, ...(at < demanding && { demand }) }),
      );
      await haveDataSince(0);
      await clock.set(START_MS);
      const views: MemberView[] = [];
      for (const member of members) {
        const view = await store.register(group, member);
        expect(view).toEqual(reference.register(table, member, START_MS, 0));
        views.push(accepted(view));
      }
      const turns = new Set<number>();
      for (let i = 0; i < 300; i++) {
        const at = i % size;
        const [member, view] = [members[at] as Registration, views[at] as MemberView];
        const nowMs = START_MS + 1_000 + Math.floor(((i + chance.random()) * 1_000) / size);
        if (view.entitled > 0) turns.add(at);
        // An odd token is kept for an interval, as processors do; one that shares evenly uses what it has, or idles.
        const epoch = Math.floor(nowMs / 1_000);
        const keptOdd = view.demand?.odd && Math.floor(i / size) % 3 === 0 ? 1 : 0;
        const report = adopting(view, i + 2, {
          ...(at < demanding && { demand, held: Math.min(view.held, (view.demand?.level ?? 0) + keptOdd) }),
          use: { epoch, used: chance.random() < 0.7 ? view.held : 0 },
        });
        await clock.set(nowMs);
        const next = await store.sync(group, member, report);
        expect(next, String(i)).toEqual(reference.sync(table, member, report, nowMs));
        views[at] = accepted(next);
      }
      expect(turns.size, "members that had a turn").toBeGreaterThan(size - 2);
    },
  );

  test("when 1,150 members die within 72 ms: 1,000 go with an operation, and their levels are remembered", {
    timeout: 120_000,
  }, async () => {
    const table = new ReferenceTable();
    // One after the other, since the contract leaves open who of those that go stale at the same instant is removed
    // first.
    const dead = Array.from({ length: 1_150 }, (_, place) =>
      newcomer({ max: 5_000, level: 1, resumeWithinMs: 60_000, staleAfterMs: 8_000 + place / 16 }),
    );
    const survivor = newcomer({ max: 5_000, staleAfterMs: 100_000 });
    await haveDataSince(0);
    await clock.set(START_MS);
    let view: View | undefined;
    for (const registration of [...dead, survivor]) {
      view = await store.register("mass death", registration);
      expect(view).toEqual(reference.register(table, registration, START_MS, 0));
    }
    const sizes: number[] = [];
    for (let seq = 2; seq < 9; seq++) {
      const report = adopting(view as View, seq);
      const clockMs = START_MS + seq * 2_000;
      await clock.set(clockMs);
      view = await store.sync("mass death", survivor, report);
      expect(view).toEqual(reference.sync(table, survivor, report, clockMs));
      sizes.push(accepted(view).poolSize);
    }
    expect(sizes).toEqual([1_151, 1_151, 1_151, 1_150, 150, 1, 1]);
    const again = newcomer({ id: dead[1_100]?.id ?? "" });
    await clock.set(START_MS + 20_000);
    const resumed = await store.register("mass death", again);
    expect(resumed).toEqual(reference.register(table, again, START_MS + 20_000));
    expect(resumed).toMatchObject({ resumeLevel: 1 });
  });
});

async function haveDataSince(ms: number): Promise<void> {
  await admin.rows(`UPDATE ${schema}.dt_data SET since_ms = $1, lived_ms = 1e15`, [ms]);
}

/** What the group's rows say of freed tokens, of what members want and of their turns. */
async function besideOf(group: string): Promise<unknown> {
  const [row] = await admin.rows(
    `SELECT freed_epoch::float8 AS "freedEpoch", spent::float8 AS spent, wants::float8[] AS wants, hungry_ms AS "hungryMs",
       (SELECT coalesce(json_agg(json_build_array(odd, gave_up_ms, rest_until_ms) ORDER BY rank), '[]')
        FROM ${schema}.dt_member m WHERE m.group_id = l.group_id) AS turns
     FROM ${schema}.dt_ledger l WHERE group_id = (SELECT id FROM ${schema}.dt_group WHERE name = $1)`,
    [group],
  );
  return row;
}

async function settled(operation: Promise<unknown>): Promise<unknown> {
  try {
    return await operation;
  } catch (error) {
    if (!isDtError(error)) throw error;
    return error;
  }
}

import {
  answerUnrecorded,
  applyCall,
  bringsNews,
  groupEssence,
  type Head,
  MemberMemory,
  memberEssence,
  unrecordedView,
  withHeard,
} from "@dt/cas";
import type { MemberView, Registration, Report } from "@dt/core";
import { type GroupRow, type MemberRow, register, sync } from "@dt/core/ledger";
import { describe, expect, it } from "vitest";
import { MemoryTable } from "../../core/src/memory/memory-table.ts";

const registration: Registration = {
  ...{ id: "a", incarnation: "a", seq: 1, rejoin: false, claim: 0, max: 100, intervalMs: 1_000, staleAfterMs: 10_000 },
  ...{ learningMs: 0, level: null, resumeWithinMs: 0, observedMs: 0 },
};

/** Two members that agree, and the report that the first would send next. */
function agreed(): { table: MemoryTable; row: GroupRow; member: MemberRow; report: Report; view: MemberView } {
  const table = new MemoryTable();
  const views = new Map<string, MemberView>();
  for (const id of ["a", "b"])
    views.set(id, register(table, { ...registration, id, incarnation: id }, 1_000) as MemberView);
  for (let seq = 2; seq < 6; seq++)
    for (const id of ["a", "b"]) {
      const { generation, members, held, entitled, status } = views.get(id) as MemberView;
      const report = {
        seq,
        generation,
        members,
        held: status === "agree" ? held : entitled,
        max: 100,
        level: null,
      };
      views.set(id, sync(table, { id, incarnation: id }, report, 1_000 + seq) as MemberView);
    }
  const view = views.get("a") as MemberView;
  const { generation, members, held, status } = view;
  expect(status).toBe("agree");
  const report = { seq: 9, generation, members, held, max: 100, level: null };
  return { table, row: table.group() as GroupRow, member: table.member("a") as MemberRow, report, view };
}

describe("the time of a heartbeat that was not recorded", () => {
  it("counts, but not while the group learns: a corrected time is none in which members could claim", () => {
    const { row } = agreed();
    expect(withHeard(row, row.lastMs + 60_000).lastMs).toBe(row.lastMs + 60_000);
    const learning = { ...row, learnUntilMs: row.lastMs + 1_000 };
    expect(withHeard(learning, row.lastMs + 60_000)).toEqual(learning);
  });
});

describe("a report in steady state", () => {
  it("brings no news, and recording it changes nothing but times and numbers of heartbeats", () => {
    const { table, row, member, report } = agreed();
    expect(bringsNews(row, member, report)).toBe(false);
    expect(bringsNews(row, member, { ...report, seq: 10, level: 7 })).toBe(false);
    sync(table, { id: "a", incarnation: "a" }, report, 5_000);
    expect(groupEssence(table.group() as GroupRow)).toBe(groupEssence(row));
    expect(memberEssence(table.member("a") as MemberRow)).toBe(memberEssence(member));
  });

  it.each<[string, Partial<Report>]>([
    ["another generation", { generation: 1 }],
    ["less held", { held: 49 }],
    ["another max", { max: 90 }],
    ["a larger pool", { members: 3 }],
    ["a want", { demand: { want: 0, syncMs: 500 } }],
  ])("brings news with %s", (_, change) => {
    const { row, member, report } = agreed();
    expect(bringsNews(row, member, { ...report, ...change })).toBe(true);
  });

  it("brings news when its member has not adopted the group's generation, or has not synced yet", () => {
    const { row, member, report } = agreed();
    expect(bringsNews({ ...row, generation: row.generation + 1 }, member, report)).toBe(true);
    expect(bringsNews(row, { ...member, standing: "newcomer" }, report)).toBe(true);
  });
});

describe("a report that says only something else of what its member does", () => {
  it("brings no news, and recording it changes nothing else: it causes no write", () => {
    const { table, row, member, report } = agreed();
    const busy = { ...report, activity: { used: 40, waiting: 7 } };
    expect(bringsNews(row, member, busy)).toBe(false);
    sync(table, { id: "a", incarnation: "a" }, busy, 5_000);
    expect(table.member("a")).toMatchObject({ activity: { used: 40, waiting: 7 } });
    expect(memberEssence(table.member("a") as MemberRow)).toBe(memberEssence(member));
    expect(groupEssence(table.group() as GroupRow)).toBe(groupEssence(row));
  });
});

describe("a row that says only something else of freed tokens", () => {
  const row = { ...agreed().row, freedEpoch: 7, spent: 3 };

  it.each<[string, Partial<GroupRow>]>([
    ["were freed in a later epoch", { freedEpoch: 8 }],
    ["were used before", { spent: 4 }],
    ["are not known to be free", { freedEpoch: null }],
  ])("says something else when tokens %s: that must be recorded", (_, change) => {
    expect(groupEssence({ ...row, ...change })).not.toBe(groupEssence(row));
  });
});

describe("a row that says only something else of demand", () => {
  const { row, member } = agreed();
  const wanted = { ...row, wants: [[4, 2]] as const, hungryMs: 900 };

  it.each<[string, Partial<GroupRow>]>([
    [
      "wants something else",
      {
        wants: [
          [4, 1],
          [5, 1],
        ],
      },
    ],
    ["got too little later", { hungryMs: 901 }],
  ])("says something else when somebody %s: that must be recorded", (_, change) => {
    expect(groupEssence({ ...wanted, ...change })).not.toBe(groupEssence(wanted));
  });

  it.each<[string, Partial<MemberRow>]>([
    ["wants something else", { want: 5 }],
    ["shares evenly", { want: null }],
    ["has an odd token", { odd: true }],
    ["gave one up", { gaveUpMs: 901 }],
    ["rests", { restUntilMs: 901 }],
  ])("says something else when its member %s: that must be recorded", (_, change) => {
    const one = { ...member, want: 4 };
    expect(memberEssence({ ...one, ...change })).not.toBe(memberEssence(one));
  });
});

describe("a report of one that shares by demand", () => {
  const demand = { want: 30, syncMs: 500 };

  function sharing(): { table: MemoryTable; report: Report } {
    const table = new MemoryTable();
    const { generation, members } = register(table, { ...registration, demand }, 1_000) as MemberView;
    const report = { seq: 2, generation, members, held: 100, max: 100, level: null, demand };
    const { held } = sync(table, { id: "a", incarnation: "a" }, report, 1_100) as MemberView;
    return { table, report: { ...report, held } };
  }

  it("that wants what it wanted changes nothing but times and numbers of heartbeats", () => {
    const { table, report } = sharing();
    const [row, member] = [table.group() as GroupRow, table.member("a") as MemberRow];
    sync(table, { id: "a", incarnation: "a" }, { ...report, seq: 3 }, 5_000);
    expect(groupEssence(table.group() as GroupRow)).toBe(groupEssence(row));
    expect(memberEssence(table.member("a") as MemberRow)).toBe(memberEssence(member));
  });

  it("that was not recorded is answered with what others want, as the ledger is", () => {
    const { table, report } = sharing();
    const [row, member] = [table.group() as GroupRow, table.member("a") as MemberRow];
    const call = {
      kind: "sync",
      ref: member,
      request: { ...report, seq: 3 },
      overtaken: false,
      record: "news",
    } as const;
    const recorded = sync(table, { id: "a", incarnation: "a" }, { ...report, seq: 3 }, 5_000) as MemberView;
    expect(recorded.demand).toMatchObject({ waterLevel: 100, tight: false, hungry: false });
    expect(answerUnrecorded(call, table, 5_000)).toEqual(recorded);
    expect(unrecordedView({ ...row, lastMs: 5_000 }, member)).not.toHaveProperty("demand");
  });
});

describe("the answer to a report that was not recorded", () => {
  it("is the ledger's as it is: agreement where there is one", () => {
    const { table, row, member, report } = agreed();
    const recorded = sync(table, { id: "a", incarnation: "a" }, report, 5_000);
    expect(unrecordedView({ ...row, lastMs: 5_000 }, member)).toEqual(recorded);
  });

  it("raises nobody", () => {
    const { row, member } = agreed();
    const view = unrecordedView({ ...row, adopted: 1, held: 50 }, { ...member, held: 10 });
    expect(view).toMatchObject({ status: "disagree", held: 10, entitled: 10, early: 0 });
  });
});

describe("the last answer, given again", () => {
  it("says the time that it is now, and is used from the same epoch on", () => {
    const { row, member, report, view } = agreed();
    const memory = new MemberMemory(member.staleAfterMs);
    memory.remember({ view, birth: "b", group: row, member }, true, false);
    const head: Head = {
      ...{ birth: "b", generation: row.generation, agreed: true, memberCount: 2, timeMs: row.lastMs, keeper: "" },
      ...{ keptMs: row.lastMs, intervalMs: 1_000, quietLimitMs: 2_500, staleAfterMs: 10_000, pausedUntilMs: 0 },
    };
    const again = memory.repeat(report, head, row.lastMs + 7_000);
    expect(again).toEqual({
      ...view,
      storeTimeMs: view.storeTimeMs + 7_000,
      groupAgeMs: view.groupAgeMs + 7_000,
    });
  });
});

describe("a pause of the group (R35)", () => {
  it("is in the answer that is given again, by the head, once it was set there", () => {
    const { row, member, report, view } = agreed();
    const memory = new MemberMemory(member.staleAfterMs);
    memory.remember({ view, birth: "b", group: row, member }, true, false);
    const head: Head = {
      ...{ birth: "b", generation: row.generation, agreed: true, memberCount: 2, timeMs: row.lastMs, keeper: "" },
      ...{ keptMs: row.lastMs, intervalMs: 1_000, quietLimitMs: 2_500, staleAfterMs: 10_000 },
      pausedUntilMs: row.lastMs + 5_000,
    };
    expect(memory.repeat(report, head, row.lastMs + 1_000)?.pausedForMs).toBe(4_000);
    expect(memory.repeat(report, head, row.lastMs + 5_000)).not.toHaveProperty("pausedForMs");
    expect(memory.repeat({ ...report, pauseMs: 100 }, head, row.lastMs + 1_000)).toBeUndefined();
  });

  it("is recorded when a report asks for it, longer by as much as another client's clock may be ahead", () => {
    const { table, row, member, report } = agreed();
    const request = { ...report, seq: 9, pauseMs: 5_000 };
    const call = { kind: "sync", ref: member, request, overtaken: false, record: "news" } as const;
    expect(answerUnrecorded(call, table, row.lastMs)).toBeUndefined();
    expect(applyCall(call, table, row.lastMs)).toMatchObject({ pausedForMs: 6_250 });
    expect(groupEssence(table.group() as GroupRow)).not.toBe(groupEssence(row));
  });
});

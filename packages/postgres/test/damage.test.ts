import type { Demand, MemberView, View } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";
import { TestClock } from "./support/test-clock.ts";

useOwnServer();

/** Rows that somebody else has written, emptied or deleted. */

interface Member {
  readonly registration: ReturnType<typeof newcomer>;
  view: View;
  seq: number;
}

class Group {
  readonly store: PostgresStore;
  readonly clock: TestClock;
  readonly members: Member[] = [];
  nowMs = 1_800_000_000_000;

  constructor(store: PostgresStore, clock: TestClock) {
    this.store = store;
    this.clock = clock;
  }

  static async open(): Promise<Group> {
    const store = openPatientStore();
    await store.inspect("g");
    // Old data: whoever is new need not learn.
    await admin.run(`UPDATE ${schema}.dt_data SET since_ms = 0, lived_ms = 1e15`);
    return new Group(store, await TestClock.install(admin, schema));
  }

  /** @param want what it wants that shares by demand */
  async join(want?: number): Promise<Member> {
    await this.clock.set(this.nowMs);
    const demand: { demand?: Demand } = want === undefined ? {} : { demand: { want, syncMs: 1_000 } };
    const registration = newcomer({ max: 12, ...demand });
    const member = { registration, view: await this.store.register("g", registration), seq: 1 };
    this.members.push(member);
    return member;
  }

  /** A second later everybody syncs; whoever is unknown claims. */
  async round(): Promise<void> {
    this.nowMs += 1_000;
    await this.clock.set(this.nowMs);
    for (const member of this.members) {
      member.seq += 1;
      const { demand } = member.registration;
      const report = adopting(member.view, member.seq, demand && { demand, held: dueTo(member.view, demand) });
      const next = await this.store.sync("g", member.registration, report);
      if (next.status !== "unknown") member.view = next;
      else {
        const { held } = accepted(member.view);
        const claiming = { ...member.registration, seq: ++member.seq, rejoin: true, claim: held };
        member.view = await this.store.register("g", claiming);
      }
    }
  }

  async rounds(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.round();
  }

  views(): MemberView[] {
    return this.members.map(({ view }) => accepted(view));
  }

  /** What the group's row says of what its members want. */
  async wants(): Promise<unknown> {
    const [row] = await admin.rows(`SELECT wants::float8[] FROM ${schema}.dt_ledger`);
    return (row as { wants: unknown }).wants;
  }

  agreed(): boolean {
    return this.views().every(
      ({ status, members: memberCount }) => status === "agree" && memberCount === this.members.length,
    );
  }
}

/** What a member keeps of what it is entitled to: what it is due, and what each gets on top. */
function dueTo(view: View, { want }: Demand): number {
  const { entitled, demand } = accepted(view);
  return demand
    ? Math.min(entitled, Math.min(Math.max(want, demand.reserve), demand.waterLevel) + demand.extra)
    : entitled;
}

async function agreeing(size: number): Promise<Group> {
  const group = await Group.open();
  for (let i = 0; i < size; i++) await group.join();
  await group.rounds(3);
  expect(group.agreed()).toBe(true);
  return group;
}

/** Three that share by demand, beside one that shares evenly. */
async function wanting(): Promise<Group> {
  const group = await Group.open();
  for (const want of [2, 2, 5, undefined]) await group.join(want);
  await group.rounds(4);
  expect(group.views().map(({ held }) => held)).toEqual([2, 2, 5, 3]);
  expect(await group.wants()).toEqual([2, 2, 5, 1]);
  return group;
}

const write = (sql: string): Promise<void> => admin.run(sql.replaceAll("dt_", `${schema}.dt_`));

describe("a group heals", () => {
  test.each([
    ["a member count of 99", "UPDATE dt_ledger SET member_count = 99"],
    ["a member count that is too small", "UPDATE dt_ledger SET member_count = 1, adopted = 1"],
    ["more held than there is", "UPDATE dt_ledger SET held = 1000000, adopted = 0"],
    ["too little held", "UPDATE dt_ledger SET held = 0, adopted = 0"],
    ["one member's row deleted", "DELETE FROM dt_member WHERE rank = 1"],
    ["the first member's row deleted", "DELETE FROM dt_member WHERE rank = 0"],
    ["all members' rows deleted", "DELETE FROM dt_member"],
    ["the group's row deleted", "DELETE FROM dt_ledger"],
    ["the members' table emptied", "TRUNCATE dt_member"],
    ["the group's name deleted", "DELETE FROM dt_group"],
  ])("of %s by itself, without anybody joining or leaving", async (_, sql) => {
    const group = await agreeing(3);
    await write(sql);
    for (let i = 0; i < 80 && !(i > 30 && group.agreed()); i++) await group.round();
    expect(group.agreed()).toBe(true);
    const { members, memberCount, held } = await group.store.inspect("g");
    expect([members.length, memberCount, held]).toEqual([3, 3, 12]);
    expect(members.map(({ rank }) => rank)).toEqual([0, 1, 2]);
  });

  test.each([
    ["dt_ledger emptied", "TRUNCATE dt_ledger"],
    ["the group's row deleted", "DELETE FROM dt_ledger"],
    ["dt_member emptied", "TRUNCATE dt_member"],
    ["everything emptied", "TRUNCATE dt_group, dt_ledger, dt_member RESTART IDENTITY"],
    ["a member's row deleted", "DELETE FROM dt_member WHERE rank = 0"],
  ])("of %s: a newcomer is given nothing before those that hold tokens could claim them", async (_, sql) => {
    const group = await agreeing(1);
    await write(sql);
    const newcomers = await group.join();
    expect(newcomers.view).toMatchObject({ learning: true, held: 0 });
    // The one that holds everything is silent for most of its stale age, and then claims.
    const [first] = group.members.splice(0, 1) as [Member];
    for (let second = 0; second < 7; second++) await group.round();
    expect(newcomers.view).toMatchObject({ learning: true, held: 0 });
    group.members.push(first);
    await group.rounds(6);
    expect(group.agreed()).toBe(true);
    expect(group.views().map(({ held }) => held)).toEqual([6, 6]);
  });
});

describe("a group in which members share by demand heals", () => {
  test.each([
    ["counts that were emptied", "UPDATE dt_ledger SET wants = '{}'"],
    ["a count of a want that nobody has", "UPDATE dt_ledger SET wants = '{7,3}'"],
    ["a member that lost its want", "UPDATE dt_member SET want = NULL WHERE rank = 2"],
    ["a member count of 99", "UPDATE dt_ledger SET member_count = 99"],
    ["more held than there is", "UPDATE dt_ledger SET held = 1000000"],
    ["one member's row deleted", "DELETE FROM dt_member WHERE rank = 1"],
    ["the members' table emptied", "TRUNCATE dt_member"],
  ])("of %s by itself, without anybody joining or leaving", async (_, sql) => {
    const group = await wanting();
    await write(sql);
    await group.rounds(80);
    expect(group.views().map(({ held }) => held)).toEqual([2, 2, 5, 3]);
    expect(await group.wants()).toEqual([2, 2, 5, 1]);
    expect(await group.store.inspect("g")).toMatchObject({ memberCount: 4, held: 12, learning: false });
  });

  test("of counts that are wrong when somebody joins or leaves, and nobody is given more than is free until then", async () => {
    const group = await wanting();
    await write("UPDATE dt_ledger SET wants = '{2,1,5,2}'");
    await group.rounds(3);
    expect(await group.wants()).toEqual([2, 1, 5, 2]);
    expect((await group.store.inspect("g")).held).toBeLessThanOrEqual(12);
    await group.join(0);
    expect(await group.wants()).toEqual([0, 1, 2, 2, 5, 1]);
  });
});

describe("values that cannot be", () => {
  test.each([
    "UPDATE dt_ledger SET last_ms = 'NaN'",
    "UPDATE dt_ledger SET lapsed_ms = 'Infinity'",
    "UPDATE dt_ledger SET member_count = -1",
    "UPDATE dt_ledger SET held = NULL",
    "UPDATE dt_ledger SET adopted = 3",
    "UPDATE dt_ledger SET quiet_limit_ms = -1",
    "UPDATE dt_ledger SET wants = NULL",
    "UPDATE dt_ledger SET wants = '{1}'",
    "UPDATE dt_ledger SET wants = '{5,1,2,1}'",
    "UPDATE dt_ledger SET wants = '{2,1,2,1}'",
    "UPDATE dt_ledger SET wants = '{2,0}'",
    "UPDATE dt_ledger SET wants = '{-1,1}'",
    "UPDATE dt_ledger SET wants = '{NULL,1}'",
    "UPDATE dt_ledger SET wants = '{2,NULL}'",
    "UPDATE dt_ledger SET wants = '{{2,1},{3,1}}'",
    "UPDATE dt_ledger SET wants = '[0:1]={2,1}'",
    "UPDATE dt_ledger SET wants = '{3000000000000,1}'",
    "UPDATE dt_ledger SET hungry_ms = 'NaN'",
    "UPDATE dt_ledger SET paused_until_ms = 'Infinity'",
    "UPDATE dt_member SET want = -1",
    "UPDATE dt_member SET rest_until_ms = 'Infinity'",
    "UPDATE dt_member SET gave_up_ms = 'NaN'",
    "UPDATE dt_member SET held = -1",
    "UPDATE dt_member SET expires_at_ms = 'NaN'",
    "UPDATE dt_member SET level = 'NaN'",
    "UPDATE dt_member SET stale_after_ms = 1e300",
    "UPDATE dt_member SET max = 0",
    "UPDATE dt_member SET standing = 'king'",
  ])("are refused by the tables, whoever writes them: %s", async (sql) => {
    await openPatientStore().register("g", newcomer());
    await expect(write(sql)).rejects.toThrow(/violates (check|not-null) constraint/);
  });

  test("that a statement comes to are an error that names the row and the remedy", async () => {
    const group = await agreeing(2);
    // A bound that only this test knows of: whatever the statement writes cannot be.
    await write("ALTER TABLE dt_ledger ADD CONSTRAINT odd CHECK (writes < 0) NOT VALID");
    const error = await failure(group.store.inspect("g").then(() => group.round()));
    expect(error).toMatchObject({ code: "DT_STORE_DATA", effect: "definite" });
    expect(error.message).toMatch(/dt_ledger.*violates check constraint.*dt repair <store> throttle <name>/);
  });
});

describe("repair", () => {
  test("of a sound group finds nothing and changes nothing", async () => {
    const group = await agreeing(2);
    const before = await group.store.inspect("g");
    expect(await group.store.repair("g")).toEqual({ found: [], members: 2, reset: false });
    expect(await group.store.inspect("g")).toEqual(before);
    expect(await group.store.repair("nobody")).toEqual({ found: [], members: 0, reset: false });
  });

  test("names what was wrong and sets it right; the group learns", async () => {
    const group = await agreeing(3);
    await write("DELETE FROM dt_member WHERE rank = 1");
    await write("UPDATE dt_ledger SET capacity = 40");
    const { found, members, reset } = await group.store.repair("g");
    expect([members, reset]).toEqual([2, false]);
    expect(found).toEqual([
      "member_count was 3, and there are 2 members",
      "held was 12, and the members hold 8",
      "there was a rank 2 among 2 members",
      "capacity, stale ages or clock error were not those that the members declare",
    ]);
    expect(await group.store.inspect("g")).toMatchObject({ memberCount: 2, held: 8, capacity: 12, learning: true });
    await group.rounds(12);
    expect(group.agreed()).toBe(true);
  });

  test("counts anew what members want", async () => {
    const group = await wanting();
    await write("UPDATE dt_ledger SET wants = '{3,2,40,1}'");
    const { found, members, reset } = await group.store.repair("g");
    expect([found, members, reset]).toEqual([["wants was {3,2,40,1}, and the members want {2,2,5,1}"], 4, false]);
    expect(await group.wants()).toEqual([2, 2, 5, 1]);
    expect((await group.store.repair("g")).found).toEqual([]);
    await group.rounds(12);
    expect(group.views().map(({ held, learning }) => [held, learning])).toEqual(
      [2, 2, 5, 3].map((held) => [held, false]),
    );
  });

  test("with reset forgets the members of a living group, which agree again and never hold more than there is", async () => {
    const group = await agreeing(3);
    const { generation } = await group.store.inspect("g");
    expect(await group.store.repair("g", { reset: true })).toEqual({ found: [], members: 0, reset: true });
    const after = await group.store.inspect("g");
    expect(after).toMatchObject({ memberCount: 0, held: 0, learning: true });
    expect(after.generation).toBeGreaterThan(generation);
    for (let i = 0; i < 12; i++) {
      await group.round();
      expect((await group.store.inspect("g")).held).toBeLessThanOrEqual(12);
    }
    expect(group.agreed()).toBe(true);
  });

  test("of a group whose row is missing says so", async () => {
    const group = await agreeing(1);
    await write("DELETE FROM dt_ledger");
    expect(await group.store.repair("g")).toMatchObject({
      found: [expect.stringMatching(/row in .*dt_ledger is missing/)],
    });
    await group.rounds(12);
    expect(group.agreed()).toBe(true);
  });

  test("refuses options that it does not know", async () => {
    const store = openPatientStore();
    const misspelt: object = { rset: true };
    expect((await failure(store.repair("g", misspelt))).message).toContain("did you mean reset?");
    const wrong = { reset: "yes" } as unknown as { reset: boolean };
    expect((await failure(store.repair("g", wrong))).message).toContain('reset is "yes"');
  });
});

import { describe, expect, it } from "vitest";
import { isDtError, type MemberView, MemoryStore, type Report } from "../../src/index.ts";
import { deregister, type GroupRow, inspect, isNews, isPauseNews, repair, sync } from "../../src/ledger/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { number, rowsOf, shown } from "./support/contract-page.ts";
import { Group, registration } from "./support/group.ts";

let seq = 100;

function report(group: Group, name: string, changes: Partial<Report> = {}): MemberView {
  const whole = { seq: ++seq, generation: 0, members: 0, held: 0, max: 100, level: null, ...changes };
  return sync(group.table, { id: name, incarnation: name }, whole, group.clockMs) as MemberView;
}

it("is what the page of the contract says, row by row", () => {
  const group = new Group();
  group.clockMs = 500;
  group.join("a");
  group.join("b");
  const made = rowsOf("R35", "at").map(([at = "", text = ""]) => {
    group.clockMs = number(at);
    const [name = "", asked] = text.split(" asks for ");
    const before: GroupRow = { ...group.row };
    const { pausedForMs } = report(group, name, asked === undefined ? {} : { pauseMs: number(asked) });
    const { pausedUntilMs } = group.row;
    const hint = isNews(before, group.row) && isPauseNews(before, group.row);
    return [
      at,
      text,
      pausedUntilMs === 0 ? "" : shown(pausedUntilMs),
      pausedForMs === undefined ? "nothing" : shown(pausedForMs),
      hint ? "yes" : "",
    ];
  });
  expect(made).toEqual(rowsOf("R35", "at"));
});

describe("the pause of a group", () => {
  it("is answered to newcomers and shown by a look at the group, until it is over", () => {
    const group = new Group();
    group.join("a");
    expect(inspect(group.table, "g", group.clockMs)).not.toHaveProperty("pausedForMs");
    report(group, "a", { pauseMs: 5_000 });
    group.clockMs += 2_000;
    expect(group.join("b").pausedForMs).toBe(3_000);
    expect(inspect(group.table, "g", group.clockMs + 1_000).pausedForMs).toBe(2_000);
    group.clockMs += 3_000;
    expect(group.join("c")).not.toHaveProperty("pausedForMs");
  });

  it("outlives the member that asked, and a group without members; a reset ends it", () => {
    const group = new Group();
    group.join("a");
    report(group, "a", { pauseMs: 60_000 });
    deregister(group.table, { id: "a", incarnation: "a" }, { seq: ++seq, level: null }, group.clockMs);
    group.clockMs += 10_000;
    expect(group.join("b").pausedForMs).toBe(50_000);
    repair(group.table, {}, group.clockMs);
    expect(report(group, "b").pausedForMs).toBe(50_000);
    repair(group.table, { reset: true }, group.clockMs);
    expect(group.join("c", { seq: 1 })).not.toHaveProperty("pausedForMs");
  });

  it("is not asked for by one that is no member", () => {
    const group = new Group();
    group.join("a");
    expect(report(group, "stranger", { pauseMs: 5_000 }).status).toBe("unknown");
    expect(report(group, "a")).not.toHaveProperty("pausedForMs");
  });

  it("keeps a group of a store in memory that every member has left", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    await store.register("g", registration("a"));
    const asked = { seq: 2, generation: 0, members: 0, held: 0, max: 100, level: null, pauseMs: 3_600_000 };
    await store.sync("g", { id: "a", incarnation: "a" }, asked);
    await store.deregister("g", { id: "a", incarnation: "a" }, { seq: 3, level: null });
    await runtime.advance(1_800_000);
    for (let other = 0; other < 100; other++) await store.register(`other ${other}`, registration("a"));
    expect(await store.register("g", registration("b"))).toMatchObject({ pausedForMs: 1_800_000 });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, "5s"])("is refused for %s", async (pauseMs) => {
    const store = new MemoryStore({ runtime: new VirtualRuntime() });
    const asked = { seq: 2, generation: 0, members: 0, held: 0, max: 100, level: null, pauseMs: pauseMs as number };
    const error: unknown = await store.sync("g", { id: "a", incarnation: "a" }, asked).catch((refused) => refused);
    expect(isDtError(error, "DT_INVALID_OPTION") && error.message).toMatch(/^report\.pauseMs/);
  });
});

import { describe, expect, it } from "vitest";
import { type Activity, isDtError, MemoryStore, type Report } from "../../src/index.ts";
import { inspect, register, sync } from "../../src/ledger/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { Group, registration } from "./support/group.ts";

/** What the group's snapshot says of member `a`. */
function shown(group: Group): Partial<Activity> {
  const [{ used, waiting } = {}] = inspect(group.table, "g", group.clockMs).members;
  return { ...(used !== undefined && { used }), ...(waiting !== undefined && { waiting }) };
}

function report(group: Group, changes: Partial<Report>): void {
  const { generation, memberCount: members } = group.row;
  const whole = { seq: 10, generation, members, held: 100, max: 100, level: null, ...changes };
  sync(group.table, { id: "a", incarnation: "a" }, whole, group.clockMs);
}

describe("what a member says of its activity", () => {
  it("is in the snapshot until its next report, which may say nothing", () => {
    const group = new Group();
    group.join("a");
    expect(shown(group)).toEqual({});
    report(group, { activity: { used: 7, waiting: 3 } });
    expect(shown(group)).toEqual({ used: 7, waiting: 3 });
    report(group, { seq: 11, activity: { used: 0, waiting: 0 } });
    expect(shown(group)).toEqual({ used: 0, waiting: 0 });
    report(group, { seq: 12 });
    expect(shown(group)).toEqual({});
  });

  it("is not taken from a repeat, or from a report that comes late", () => {
    const group = new Group();
    group.join("a");
    report(group, { seq: 10, activity: { used: 7, waiting: 3 } });
    for (const seq of [10, 9]) report(group, { seq, activity: { used: 1, waiting: 1 } });
    expect(shown(group)).toEqual({ used: 7, waiting: 3 });
  });

  it("is gone when the member registers again", () => {
    const group = new Group();
    group.join("a");
    report(group, { activity: { used: 7, waiting: 3 } });
    register(group.table, registration("a", { seq: 11, rejoin: true }), group.clockMs);
    expect(shown(group)).toEqual({});
  });

  it("is two numbers of the report, whatever becomes of the object, and nothing else of it", () => {
    const group = new Group();
    group.join("a");
    const activity = { used: 7, waiting: 3, held: 9, fenced: true };
    report(group, { activity });
    activity.used = 8;
    const [member] = inspect(group.table, "g", group.clockMs).members;
    expect(member).toMatchObject({ used: 7, waiting: 3, held: 100, fenced: false });
  });

  it("changes no answer and nothing else of the ledger", () => {
    const [silent, telling] = [new Group(), new Group()];
    for (const group of [silent, telling]) group.join("a");
    report(silent, { held: 40 });
    report(telling, { held: 40, activity: { used: 1e12, waiting: 1e12 } });
    expect(telling.row).toEqual(silent.row);
    expect({ ...telling.table.member("a"), activity: null }).toEqual(silent.table.member("a"));
  });

  it.each([{ used: -1 }, { used: 1.5 }, { waiting: Number.NaN }, { waiting: 1e12 + 1 }, { waiting: "3" }, null, 7])(
    "is refused as %j, and the report with it",
    async (wrong) => {
      const store = new MemoryStore({ runtime: new VirtualRuntime() });
      const member = registration("a");
      await store.register("g", member);
      const activity = (typeof wrong === "object" && wrong ? { used: 0, waiting: 0, ...wrong } : wrong) as Activity;
      const whole = { seq: 2, generation: 0, members: 0, held: 0, max: 100, level: null, activity };
      const error = await store.sync("g", member, whole).catch((reason: unknown) => reason);
      expect(isDtError(error, "DT_INVALID_OPTION")).toBe(true);
      expect((error as Error).message).toContain("report.activity");
      expect((await store.inspect("g")).members).toMatchObject([{ held: 100 }]);
    },
  );
});

import { beforeEach, describe, expect, it } from "vitest";
import { SlotGroup } from "./support/slots.ts";

describe("a turn whose hint was lost", () => {
  let group: SlotGroup;

  beforeEach(() => {
    group = new SlotGroup(1);
    group.join("a", "b", "c");
    group.report("a", { held: 0, want: 1, waiting: 1 });
    for (const name of ["b", "c"]) {
      group.clockMs += 10;
      group.report(name, { held: 0, want: 1, waiting: 1 });
    }
    group.report("a", { held: 0, want: 0, waiting: 0 });
    expect([group.held("b"), group.held("c")]).toEqual([1, 0]);
  });

  it("is answered to the next report of its member, which has not received it", () => {
    group.clockMs += 20;
    expect(group.report("b", { held: 0, want: 1, waiting: 1 }).held).toBe(1);
    expect(group.held("c")).toBe(0);
  });

  it("is over for a member that reports after a turn: the slot goes to the next one", () => {
    group.clockMs += 100;
    expect(group.report("b", { held: 0, want: 1, waiting: 1 }).held).toBe(0);
    expect(group.held("c")).toBe(1);
  });
});

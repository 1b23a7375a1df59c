import { DatabaseSync } from "node:sqlite";
import type { MemberView, View } from "@dt/core";
import type { SqliteStore } from "@dt/sqlite";
import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, it } from "vitest";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

/** What somebody does to the file from outside. */
function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

function member(view: View): MemberView {
  if (view.status !== "agree" && view.status !== "disagree") throw new Error(`the answer is ${view.status}`);
  return view;
}

/** Two members that agree on 50 each. */
async function agreed(path: string): Promise<{ store: SqliteStore; seq: () => number; views: MemberView[] }> {
  const store = sandbox.store(path);
  let last = 1;
  const seq = (): number => ++last;
  let views: MemberView[] = [];
  for (const id of ["a", "b"]) views.push(member(await store.register("g", registration(id))));
  for (let round = 0; round < 3; round++) {
    const next: MemberView[] = [];
    for (const [i, id] of ["a", "b"].entries()) {
      const { generation, members, entitled } = views[i] as MemberView;
      const told = report(seq(), { generation, members, held: entitled });
      next.push(member(await store.sync("g", ref(id), told)));
    }
    views = next;
  }
  expect(views).toMatchObject([
    { status: "agree", held: 50 },
    { status: "agree", held: 50 },
  ]);
  return { store, seq, views };
}

describe("rows that somebody else wrote", () => {
  it.each([
    ["a pool of 99", "UPDATE groups SET member_count = 99"],
    ["a capacity of 900", "UPDATE groups SET capacity = 900"],
    ["a sum that is too small", "UPDATE groups SET held = 3"],
  ])("%s: heals with the next heartbeats", async (_, sql) => {
    const path = sandbox.path();
    const { store, seq, views } = await agreed(path);
    change(path, sql);
    let view = views[0] as MemberView;
    for (let round = 0; round < 2; round++)
      for (const id of ["a", "b"]) {
        const { generation, members } = view;
        view = member(await store.sync("g", ref(id), report(seq(), { generation, members, held: 50 })));
      }
    expect(await store.inspect("g")).toMatchObject({
      memberCount: 2,
      held: 100,
      adopted: 2,
      capacity: 100,
      learning: false,
    });
  });

  it.each([
    ["a negative number", "UPDATE members SET held = -5 WHERE id = 'b'"],
    ["an endless time", "UPDATE members SET expires_at_ms = 9e999 WHERE id = 'b'"],
    ["an integer beyond 2^53", "UPDATE members SET seq = 9223372036854775807 WHERE id = 'b'"],
    ["a want below nothing", "UPDATE members SET want = -1 WHERE id = 'b'"],
    ["a rest without an end", "UPDATE members SET rest_until_ms = 9e999 WHERE id = 'b'"],
    ["a turn that is none", "PRAGMA ignore_check_constraints = 1; UPDATE members SET odd = 7 WHERE id = 'b'"],
    ["half of an activity", "UPDATE members SET used = 7, waiting = NULL WHERE id = 'b'"],
  ])("a member with %s is dropped, claims again, and the group learns", async (_, sql) => {
    const path = sandbox.path();
    const { store, seq, views } = await agreed(path);
    change(path, sql);
    const { generation, members } = views[1] as MemberView;
    expect(await store.sync("g", ref("b"), report(seq(), { generation, members, held: 50 }))).toMatchObject({
      status: "unknown",
    });
    const again = member(await store.register("g", registration("b", { seq: seq(), rejoin: true, claim: 50 })));
    expect(again).toMatchObject({ held: 50, members: 2, learning: true });
    expect(member(await store.register("g", registration("c"))).held).toBe(0);
  });

  it.each([
    ["a negative number", "UPDATE members SET held = -5 WHERE id = 'b'"],
    ["more than anybody can hold", "UPDATE members SET held = 9223372036854775807 WHERE id = 'b'"],
    ["more than anybody can want", "UPDATE members SET want = 9223372036854775807 WHERE id = 'b'"],
  ])(
    "a newcomer is given nothing of what a member with %s may use, though nobody has read its row yet",
    async (_, sql) => {
      const path = sandbox.path();
      const { store } = await agreed(path);
      change(path, sql);
      expect(member(await store.register("g", registration("c")))).toMatchObject({ held: 0, learning: true });
      expect(await store.inspect("g")).toMatchObject({ memberCount: 2, held: 50 });
    },
  );

  it.each([
    ["freed_epoch = -1", "freedEpoch -1"],
    ["spent = -1", "spent -1"],
    ["wants = 'none'", "wants undefined"],
    ["wants = '[[5,0]]'", "wants [[5,0]]"],
    ["hungry_ms = -1", "hungryMs -1"],
  ])("a group's row with %s is damaged", async (set, fault) => {
    const path = sandbox.path();
    const { store } = await agreed(path);
    change(path, `UPDATE groups SET ${set}`);
    const { code, message } = await failure(store.inspect("g"));
    expect(code).toBe("DT_STORE_DATA");
    expect(message).toContain(`holds ${fault};`);
  });

  it("a damaged row of the group: its members are forgotten and claim, and the error of inspect names row and command until then", async () => {
    const path = sandbox.path();
    const { store, seq } = await agreed(path);
    change(path, "UPDATE groups SET last_ms = 9e999");
    const error = await failure(store.inspect("g"));
    expect(error.code).toBe("DT_STORE_DATA");
    expect(error.message).toMatch(
      /^table groups of the file, in group "g", holds lastMs Infinity; .*dt repair <store> throttle <name>/,
    );
    expect(member(await store.register("g", registration("new")))).toMatchObject({ held: 0, learning: true });
    expect(await store.sync("g", ref("a"), report(seq()))).toMatchObject({ status: "unknown" });
    const claimed = await store.register("g", registration("a", { seq: seq(), rejoin: true, claim: 50 }));
    expect(member(claimed)).toMatchObject({ held: 50, learning: true });
  });

  it("a group with members cannot be deleted by hand", async () => {
    const path = sandbox.path();
    const { store } = await agreed(path);
    expect(() => change(path, "DELETE FROM groups")).toThrow('use "dt repair <store> throttle <name> --reset"');
    expect((await store.inspect("g")).memberCount).toBe(2);
  });
});

describe("repair", () => {
  it("says what was wrong, and leaves a sound group alone", async () => {
    const path = sandbox.path();
    const { store } = await agreed(path);
    const before = await store.inspect("g");
    expect(await store.repair("g")).toEqual({ found: [], members: 2, reset: false });
    expect(await store.repair("nobody")).toEqual({ found: [], members: 0, reset: false });
    expect((await store.inspect("g")).generation).toBe(before.generation);
    change(path, "UPDATE members SET max = -1 WHERE id = 'a'");
    expect(await store.repair("g")).toEqual({
      found: ['table members of the file, in group "g", holds max -1'],
      members: 1,
      reset: false,
    });
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1, held: 50, learning: true });
  });

  it("with reset forgets the members, who claim, in a higher generation", async () => {
    const { store, seq } = await agreed(sandbox.path());
    const before = await store.inspect("g");
    expect(await store.repair("g", { reset: true })).toEqual({ found: [], members: 0, reset: true });
    expect(await store.sync("g", ref("a"), report(seq()))).toMatchObject({ status: "unknown" });
    const view = member(await store.register("g", registration("a", { seq: seq(), rejoin: true, claim: 50 })));
    expect(view).toMatchObject({ held: 50, learning: true });
    expect(view.generation).toBeGreaterThan(before.generation);
  });

  it("refuses what it does not know", async () => {
    const store = sandbox.store(sandbox.path());
    expect((await failure(store.repair("g", { rest: true } as object))).message).toContain("rest");
    expect((await failure(store.repair(""))).code).toBe("DT_INVALID_OPTION");
  });
});

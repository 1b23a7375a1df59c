import { DatabaseSync } from "node:sqlite";
import type { MemberView } from "@dt/core";
import { expect, it } from "vitest";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";
import { until } from "./support/until.ts";

const sandbox = new Sandbox();

/** Divides by every member count up to 12, so that an agreement holds exactly the capacity. */
const CAPACITY = 27_720;

function integrity(path: string): unknown {
  const database = new DatabaseSync(path);
  const result = database.prepare("PRAGMA integrity_check").get() as { integrity_check: string };
  database.close();
  return result.integrity_check;
}

it("eight processes that open a new file at the same moment make one schema and one group", {
  timeout: 60_000,
}, async () => {
  for (let race = 0; race < 2; race++) {
    const path = sandbox.path();
    const children = Array.from({ length: 8 }, (_, i) => sandbox.child("join", path, "g", `p${i}`));
    await Promise.all(children.map((child) => child.said("ready")));
    for (const child of children) child.tell("go");
    const answers = await Promise.all(children.map((child) => child.said("joined")));
    await Promise.all(children.map((child) => child.finished()));
    const views = answers.map((line) => JSON.parse(line) as MemberView);
    expect(views.map((view) => view.members).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(views.reduce((sum, view) => sum + view.held, 0)).toBe(100);
    expect(integrity(path)).toBe("ok");
  }
});

it("processes that hammer one file never hold more than the capacity together", async () => {
  const path = sandbox.path();
  const children = Array.from({ length: 6 }, (_, i) => sandbox.child("hammer", path, "g", `p${i}`, String(CAPACITY)));
  await Promise.all(children.map((child) => child.said("ready")));
  const store = sandbox.store(path, { timeout: "5s" });
  let areBusy = false;
  const busy = Promise.all(children.map((child) => child.said("busy"))).then(() => {
    areBusy = true;
  });
  for (let looks = 0; !areBusy || looks < 50; looks++) {
    const { members, held, memberCount } = await store.inspect("g");
    expect(members.reduce((sum, member) => sum + member.held, 0)).toBe(held);
    expect(held).toBeLessThanOrEqual(CAPACITY);
    expect(members.map((member) => member.rank)).toEqual(Array.from({ length: memberCount }, (_, rank) => rank));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await busy;
  for (const child of children) child.tell("stop");
  await Promise.all(children.map((child) => child.finished()));
  expect(await store.inspect("g")).toMatchObject({ memberCount: 0, held: 0 });
  expect(integrity(path)).toBe("ok");
});

it("processes killed at any moment leave a sound ledger, and their shares come back", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path, { timeout: "5s" });
  await store.inspect("g");
  for (let round = 0; round < 4; round++) {
    const children = [0, 1, 2].map((i) => sandbox.child("hammer", path, "g", `r${round}p${i}`, String(CAPACITY)));
    await Promise.all(children.map((child) => child.said("ready")));
    await until("the members of this round are there", async () =>
      (await store.inspect("g")).members.some((member) => member.id.startsWith(`r${round}`)),
    );
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    await Promise.all(children.map((child) => child.kill()));
    const { members, held, memberCount } = await store.inspect("g");
    expect(members.reduce((sum, member) => sum + member.held, 0)).toBe(held);
    expect(held).toBeLessThanOrEqual(CAPACITY);
    expect(members.map((member) => member.rank)).toEqual(Array.from({ length: memberCount }, (_, rank) => rank));
  }
  expect(integrity(path)).toBe("ok");
  await store.register("g", registration("heir", { max: CAPACITY }));
  let seq = 1;
  await until("the dead are removed and the heir holds everything", async () => {
    seq += 1;
    const view = await store.sync("g", ref("heir"), report(seq, { max: CAPACITY }));
    return (view as MemberView).members === 1 && (view as MemberView).held === CAPACITY;
  });
});

it("a process killed in the middle of a transaction leaves nothing of it", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.register("g", registration("a"));
  const before = await store.inspect("g");
  const child = sandbox.child("half-a-transaction", path);
  await child.said("half done");
  expect((await store.inspect("g")).held).toBe(before.held);
  await child.kill();
  const view = (await store.sync("g", ref("a"), report(2))) as MemberView;
  expect(view).toMatchObject({ status: "agree", members: 1, held: 100, generation: before.generation });
});

it("a store that nobody closed does not keep its process running", async () => {
  const child = sandbox.child("forget-to-close", sandbox.path());
  await child.said("done");
  await child.finished();
});

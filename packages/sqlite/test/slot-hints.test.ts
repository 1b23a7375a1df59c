import { DatabaseSync } from "node:sqlite";
import type { SlotHint } from "@dt/core";
import { expect, it } from "vitest";
import { ref, registration } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";
import { semaphoreReport, semaphoreTerms } from "./support/semaphore.ts";
import { until } from "./support/until.ts";

const sandbox = new Sandbox();

it("a slot that another process gives up is offered to the first in the queue, and to it alone", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  const child = sandbox.child("give-slot-up", path, "g");
  await child.said("holds");
  const hints: (readonly [member: string, hint: SlotHint | undefined])[] = [];
  for (const name of ["a", "b"]) {
    await store.register("g", registration(name, semaphoreTerms));
    await store.sync("g", ref(name), semaphoreReport(2, 0, 1));
    await store.onSlotHint("g", ref(name), (hint) => hints.push([name, hint]));
  }
  child.tell("go");
  await child.said("gave it up");
  await until("the offer has come", () => hints.length > 0);
  const offer = { kind: "offer", held: 1, seq: 2, waterLevel: 0, wanted: true };
  // Nobody is asked but the member that has the slot now: its turn ends when it is over.
  await until("and with it the request", () => hints.length > 1);
  expect(hints).toEqual([
    ["a", offer],
    ["a", { kind: "ask", give: 0, waterLevel: 0 }],
  ]);
});

it("a request for slots comes again after a report, though its text is the same", async () => {
  const path = sandbox.path();
  const [store, other] = [sandbox.store(path), sandbox.store(path)];
  for (const name of ["a", "b"]) await store.register("g", registration(name, semaphoreTerms));
  await store.sync("g", ref("a"), semaphoreReport(2, 0, 1));
  const hints: (SlotHint | undefined)[] = [];
  await store.onSlotHint("g", ref("a"), (hint) => hints.push(hint));
  await other.sync("g", ref("b"), semaphoreReport(2, 0, 1));
  await until("a is asked", () => hints.length === 1);
  await other.sync("g", ref("a"), semaphoreReport(3, 1, 0));
  await until("a is asked again", () => hints.length === 2);
  expect(hints).toEqual([0, 0].map((waterLevel) => ({ kind: "ask", give: 0, waterLevel })));
});

it("a row of the queue that somebody else wrote heals: the queue is empty until its members report", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  for (const name of ["a", "b"]) {
    await store.register("g", registration(name, semaphoreTerms));
    await store.sync("g", ref(name), semaphoreReport(2, 0, 1));
  }
  const database = new DatabaseSync(path);
  const rows = (): number => (database.prepare("SELECT count(*) AS rows FROM slots").get() as { rows: number }).rows;
  database.exec("UPDATE slots SET held = -1 WHERE incarnation = 'b-boot'");
  expect(await store.sync("g", ref("a"), semaphoreReport(3, 1, 0))).toMatchObject({ held: 1 });
  expect(rows()).toBe(1);
  database.exec("UPDATE slots SET reported_ms = -1");
  expect(await store.repair("g")).toMatchObject({ members: 2, found: [expect.stringContaining("reportedMs -1")] });
  expect(rows()).toBe(0);
  database.close();
});

it("groups of throttles have no rows there, and a member takes its row along", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.register("throttle", registration("a", { demand: { want: 1, syncMs: 1_000 } }));
  await store.register("g", registration("a", semaphoreTerms));
  const database = new DatabaseSync(path);
  const names = (): unknown[] => database.prepare("SELECT name FROM slots JOIN groups USING (group_id)").all();
  expect(names()).toEqual([{ name: "g" }]);
  await store.deregister("g", ref("a"), { seq: 9, level: null });
  expect(names()).toEqual([]);
  database.close();
});

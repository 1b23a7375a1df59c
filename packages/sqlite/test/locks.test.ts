import { failure } from "@dt-tooling/backends/failure";
import { expect, it } from "vitest";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

it("while another process keeps the file locked, calls settle at their deadline without effect, and then work again", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path, { timeout: 300 });
  await store.register("g", registration("a"));
  const locker = sandbox.child("hold-the-lock", path);
  await locker.said("locked");
  const sentMs = performance.now();
  const calls = [
    store.register("g", registration("b")),
    store.sync("g", ref("a"), report(2)),
    store.deregister("g", ref("a"), { seq: 3, level: null }),
  ];
  for (const error of await Promise.all(calls.map(failure))) {
    expect(error).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
    expect(error.message).toContain(path);
  }
  expect(performance.now() - sentMs).toBeGreaterThanOrEqual(299);
  expect(performance.now() - sentMs).toBeLessThan(5_000);
  // A reader sees the file as it was.
  expect(await store.inspect("g")).toMatchObject({ memberCount: 1, held: 100 });
  const waiting = store.register("g", registration("c"));
  locker.tell("let go");
  await locker.said("free");
  await expect(waiting).resolves.toMatchObject({ members: 2 });
});

it("waiting for a lock does not stop the process", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path, { timeout: "2s" });
  await store.inspect("g");
  const locker = sandbox.child("hold-the-lock", path);
  await locker.said("locked");
  let ticks = 0;
  const ticker = setInterval(() => {
    ticks += 1;
  }, 5);
  const calls = Array.from({ length: 500 }, (_, i) => failure(store.register("g", registration(`p${i}`))));
  const errors = await Promise.all(calls);
  clearInterval(ticker);
  expect(new Set(errors.map((error) => error.code))).toEqual(new Set(["DT_STORE_TIMEOUT"]));
  // SQLite's own busy handler would have slept in every call, and let no timer fire in between.
  expect(ticks).toBeGreaterThan(5);
});

it("calls that wait for a lock are served in the order in which they came", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path, { timeout: "5s" });
  await store.inspect("g");
  const locker = sandbox.child("hold-the-lock", path);
  await locker.said("locked");
  const joins = Array.from({ length: 100 }, (_, i) => store.register("g", registration(`p${i}`)));
  locker.tell("let go");
  const views = await Promise.all(joins);
  expect(views.map((view) => (view as { members: number }).members)).toEqual(joins.map((_, i) => i + 1));
});

it("a call that waits for a lock ends at once when its signal aborts or the store is closed", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path, { timeout: "60s" });
  await store.inspect("g");
  const locker = sandbox.child("hold-the-lock", path);
  await locker.said("locked");
  const controller = new AbortController();
  const aborted = failure(store.register("g", registration("a"), controller.signal));
  const closed = failure(store.register("g", registration("b")));
  controller.abort(new Error("given up"));
  expect(await aborted).toMatchObject({ code: "DT_ABORTED", effect: "definite", cause: new Error("given up") });
  await store.close();
  expect(await closed).toMatchObject({ code: "DT_STORE_CLOSED", effect: "definite" });
});

import { until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, onTestFinished, test } from "vitest";
import { admin, openPatientStore, openPool, openProxy, useOwnServer } from "./support/own-server.ts";

useOwnServer({ migrated: true });

/**
 * The server ends a connection that has just been opened, as it does when it is shut down or fails over, and both
 * messages arrive together. `pg` tells of the end before whoever waits for the connection has run.
 */
describe.each(["its own pool", "a pool handed in"])("a connection of %s that is ended in its first moment", (kind) => {
  async function start() {
    const { proxy, connectionString } = await openProxy();
    proxy.apply({ type: "stall-replies" });
    const store = openPatientStore(
      kind === "its own pool" ? { connectionString } : { pool: openPool(connectionString, 1, 20_000) },
    );
    return { proxy, store };
  }

  /** Lets a connection be opened and ended; then all that the server had to say of it arrives. */
  async function openedAndEnded({ proxy }: Awaited<ReturnType<typeof start>>): Promise<void> {
    const others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    await until("the server has it", 20_000, async () => (await admin.number(`SELECT count(*) ${others}`)) === 1);
    await admin.run(`SELECT pg_terminate_backend(pid) ${others}`);
    await until("it is ended", 20_000, async () => (await admin.number(`SELECT count(*) ${others}`)) === 0);
    proxy.apply(undefined);
  }

  test("fails the call that waits for it, without effect, and not the process, and the next call works", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown): unknown => uncaught.push(error);
    process.on("uncaughtException", note);
    onTestFinished(() => void process.off("uncaughtException", note));
    const started = await start();
    const refused = failure(started.store.inspect("g"));
    await openedAndEnded(started);
    expect(await refused).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(await started.store.inspect("g")).toMatchObject({ memberCount: 0 });
    expect(uncaught).toEqual([]);
  });
});

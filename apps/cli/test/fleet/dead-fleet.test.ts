import { join } from "node:path";
import { startEtcd, startPostgres, startRedis, until } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/stores/open-store.ts";
import { parseStoreAddress } from "../../src/stores/store-address.ts";
import { run } from "../support/run.ts";
import { scratchFolder } from "../support/scratch.ts";

/** A file needs no server. */
const SERVERS: Record<string, () => Promise<{ readonly url: string; stop(): Promise<void> } | undefined>> = {
  sqlite: async () => undefined,
  redis: () => startRedis(),
  postgres: () => startPostgres(),
  etcd: async () => {
    const { endpoints, stop } = await startEtcd();
    return { url: `etcd://${new URL(endpoints[0] as string).host}`, stop };
  },
};

describe.each(Object.entries(SERVERS))("a fleet on %s", (_, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.stop());

  test("whose processes all died at once is silent, although no process calls its store any more", async () => {
    const address = server?.url ?? `sqlite:${join(scratchFolder(), "limits.db")}`;
    const store = await openStore(parseStoreAddress(address));
    onTestFinished(() => store.close());
    const group = `dead-${Math.random()}`;
    // With this stale age the store removes a member after a second in which others call. A quarter of it, without
    // calls, is the most that brings the removal nearer.
    for (const id of ["web-1", "web-2"]) await store.register(group, newcomer({ id, staleAfterMs: 1_000 }));
    const report = async () => {
      const { code, stdout } = await run("status", address, group, "--silent-after", "1s", "--json");
      const { verdict, limiters } = JSON.parse(stdout);
      return { code, verdict, members: limiters[0].members as { id: string; state: string; silentMs: number }[] };
    };
    const seen = await until("both are silent", 10_000, async () => {
      const now = await report();
      return now.members.every(({ state }) => state === "silent") ? now : undefined;
    });
    expect(seen.code).toBe(3);
    expect(seen.verdict).toContain("silent for");
    expect(seen.members.map(({ id }) => id)).toEqual(["web-1", "web-2"]);
  });
});

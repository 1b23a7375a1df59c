import { describe, expect, test } from "vitest";
import { withRedis } from "../src/redis-client.ts";
import { startRedisSentinel } from "../src/redis-sentinel.ts";
import { until } from "../src/until.ts";
import { expectNothingLeft } from "./leftovers.ts";

const role = async (server: { host: string; port: number }) =>
  ((await withRedis(server, (client) => client.call("ROLE"))) as string[])[0];

describe("Redis under Sentinel", { timeout: 240_000 }, () => {
  test("promotes the replica on request, keeps the data, and again when the new master dies", async () => {
    const deployment = await startRedisSentinel();
    const { sentinels, servers } = deployment;
    const processes = [...sentinels, ...servers].map(({ pid, folder }) => ({ pid: pid as number, folder }));
    try {
      expect([sentinels.length, servers.length]).toEqual([3, 2]);
      const first = await deployment.master();
      expect([first, await role(first)]).toEqual([servers[0], "master"]);
      await withRedis(first, async (client) => {
        await client.set("a", "1");
        await client.wait(1, 1_000);
      });

      const second = await deployment.failover();
      expect(second).toBe(servers[1]);
      expect([await role(second), await withRedis(second, (client) => client.get("a"))]).toEqual(["master", "1"]);
      await until("the old master follows the new one", 60_000, async () => (await role(first)) === "slave");

      await second.kill();
      await until("the first server is the master again", 60_000, async () => (await deployment.master()) === first);
      await until("it takes writes", 60_000, async () => (await role(first)) === "master");
      // It comes back as the master that it was, and one of the two is told to follow: mostly this one. On a busy
      // machine the other may be silent for a second in between, and this one is promoted for it.
      await second.restart({ keepData: true });
      await until("one is the master that the Sentinels name, and the other follows", 60_000, async () => {
        const master = await deployment.master();
        const other = master === first ? second : first;
        return (await role(master)) === "master" && (await role(other)) === "slave";
      });
    } finally {
      await deployment.stop();
    }
    for (const { pid, folder } of processes) expectNothingLeft([pid], folder);
  });
});

import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { withRedis } from "../src/redis-client.ts";
import { startRedisSentinel } from "../src/redis-sentinel.ts";
import { until } from "../src/until.ts";
import { expectNothingLeft } from "./leftovers.ts";

const role = async (server: { host: string; port: number }) =>
  ((await withRedis(server, (client) => client.call("ROLE"))) as string[])[0];

describe("Redis under Sentinel", () => {
  test("promotes the replica on request, keeps the data, and again when the new master dies", async () => {
    // With the default of 1 s the first server, held up for 2.5 s while the second is back and not yet told to follow,
    // counts as dead. Sentinel then makes the second the master again, and the first follows it for good.
    const deployment = await startRedisSentinel({ downAfterMs: 5_000 });
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
      // It comes back as the master that it was, and is told to follow.
      await second.restart({ keepData: true });
      await until("the one that was promoted and killed follows", 60_000, async () => {
        if ((await role(second)) === "slave") return true;
        const named = await deployment.master();
        const said = (await readFile(`${sentinels[0]?.folder}/server.log`, "utf8")).slice(-3_000);
        throw new Error(
          `it is a master at ${second.port}; the other is a ${await role(first)} at ${first.port}, ` +
            `the Sentinels name ${named.port}. The log of one of them ends so:\n${said}`,
        );
      });
    } finally {
      await deployment.stop();
    }
    for (const { pid, folder } of processes) expectNothingLeft([pid], folder);
  });

  test("orders a failover anew that the Sentinels gave up, as its steps took too long", async () => {
    const deployment = await startRedisSentinel({ downAfterMs: 60_000 });
    try {
      const replica = deployment.servers[1];
      await replica?.pause();
      const ordered = deployment.failover();
      await until("it was given up", 30_000, async () => {
        const said = await readFile(`${deployment.sentinels[0]?.folder}/server.log`, "utf8");
        return said.includes("-failover-abort-slave-timeout");
      });
      await replica?.resume();
      expect(await ordered).toBe(replica);
    } finally {
      await deployment.stop();
    }
  });
});

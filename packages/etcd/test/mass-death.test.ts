import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/hybrid-world";
import { afterAll, beforeAll, expect, it } from "vitest";
import { etcdStore } from "../src/index.ts";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ control: true });
});
afterAll(() => server?.stop());

it("hundreds of members that die at once are removed by a handful of calls of the one that is left", {
  timeout: 60_000,
}, async () => {
  await using store = etcdStore({ endpoints: server.endpoints, timeout: "4s" });
  await using doomed = etcdStore({ endpoints: server.endpoints, timeout: "4s" });
  const survivor = new Member(store, "g", "survivor", { max: 1_000, staleAfterMs: 60_000 });
  await survivor.join();
  const crowd = Array.from(
    { length: 250 },
    (_, i) => new Member(doomed, "g", `m${i}`, { max: 1_000, staleAfterMs: 6_000 }),
  );
  await Promise.all(crowd.map((member) => member.join()));
  let calls = 0;
  const poolSize = (): Promise<number> => {
    calls += 1;
    return survivor.beat().then((view) => view.poolSize);
  };
  await expect.poll(poolSize, { timeout: 30_000, interval: 100 }).toBeLessThan(251);
  const before = calls;
  await expect.poll(poolSize, { timeout: 10_000, interval: 100 }).toBe(1);
  expect(calls - before).toBeLessThan(40);
  expect(await survivor.beat().then(() => survivor.beat())).toMatchObject({ status: "agree", held: 1_000 });
  expect((await store.inspect("g")).members).toHaveLength(1);
});

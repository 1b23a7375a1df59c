import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { etcdStore } from "../src/index.ts";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ control: true });
});
afterAll(() => server?.stop());

it("hundreds of members that die at once are removed by a handful of calls of the one that is left", {
  timeout: 150_000,
}, async () => {
  await using store = etcdStore({ endpoints: server.endpoints, timeout: "20s" });
  await using doomed = etcdStore({ endpoints: server.endpoints, timeout: "20s" });
  const survivor = new Member(store, "g", "survivor", { max: 1_000, staleAfterMs: 60_000 });
  await survivor.join();
  const crowd = Array.from(
    { length: 250 },
    (_, i) => new Member(doomed, "g", `m${i}`, { max: 1_000, staleAfterMs: 20_000 }),
  );
  // Some at a time: a call that takes longer than its member's lease of half the stale age is given up.
  for (let i = 0; i < crowd.length; i += 50) await Promise.all(crowd.slice(i, i + 50).map((member) => member.join()));
  const sizes = new Set<number>();
  const memberCount = async (): Promise<number> => {
    const view = await survivor.beat();
    sizes.add(view.members);
    return view.members;
  };
  await expect.poll(memberCount, { interval: 100 }).toBe(1);
  // Of the calls, those that removed somebody.
  expect(sizes.size - 1).toBeLessThan(40);
  expect(await survivor.beat().then(() => survivor.beat())).toMatchObject({ status: "agree", held: 1_000 });
  expect((await store.inspect("g")).members).toHaveLength(1);
});

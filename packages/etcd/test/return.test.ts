import { HybridClock, PRUNE, TimeKeeper } from "@dt/cas";
import { systemRuntime } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EtcdBatch } from "../src/etcd-batch.ts";
import { EtcdHeadStore } from "../src/head.ts";
import { groupKeys } from "../src/keys.ts";
import { GroupRepair } from "../src/repair.ts";
import { KEEP_EMPTY_MS } from "../src/vacancy.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";

let server: EtcdServer;
let driver: FaultyDriver;
beforeAll(async () => {
  server = await startEtcd();
  driver = new FaultyDriver(server.endpoints);
});
afterAll(async () => {
  driver?.close();
  await server?.stop();
});

it("a member that comes back to life between the reading and the writing of its removal stays", {
  timeout: 30_000,
}, async () => {
  const keys = groupKeys("dt", "return");
  const store = storeOn(driver);
  const member = new Member(store, "return", "a", { staleAfterMs: 4_000 });
  const { incarnation } = member.ref;
  await member.join();
  await expect.poll(() => driver.count(keys.alive)).toBe(0);

  const clock = new HybridClock(systemRuntime);
  const time = new TimeKeeper(new EtcdHeadStore(driver, keys.head), clock, "keeper");
  const nextBirth = (): string => "never";
  const shared = { driver, keys, clock, nextBirth, recordTime: () => 0, keepEmptyMs: KEEP_EMPTY_MS };
  const groupRepair = new GroupRepair({ ...shared, runtime: systemRuntime });
  const removal = new EtcdBatch({ ...shared, time, groupRepair }, [PRUNE], [incarnation]);
  let planned = removal.apply([PRUNE], await removal.read());
  while (!planned) planned = removal.apply([PRUNE], await removal.read());
  expect(planned.table.member(incarnation)).toBeUndefined();

  await member.beat();
  const refused = await removal.commit(planned);
  if (refused.done) throw new Error("the member was removed");
  const again = removal.apply([PRUNE], refused.found);
  expect(again?.table.member(incarnation)).toBeDefined();
  expect(await store.inspect("return")).toMatchObject({ memberCount: 1 });
});

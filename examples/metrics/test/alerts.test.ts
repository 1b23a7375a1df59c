/** A fleet of real processes, scraped by a real Prometheus: the tests go on from one another, in this order. */
import { readFileSync } from "node:fs";
import { setLimit } from "@dt/core";
import { redisStore } from "@dt/redis";
import type { SourceProcess } from "@dt-tooling/backends/source-process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queriesOf } from "./fleet/dashboard.ts";
import { Fleet, type Since } from "./fleet/fleet.ts";
import { kedaQuery } from "./fleet/keda.ts";

/** More scrapes than the longest window and the longest `for` of what could fire, but for that of DtMembersDiffer. */
const SCRAPES = 24;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start();
});
afterAll(() => fleet?.stop());

/** The alert is the only one that has fired since, and its texts are complete. */
async function firesAlone(name: string, since: Since): Promise<void> {
  const { annotations } = await fleet.fires(name);
  expect((await since.fired()).filter((fired) => fired !== name)).toEqual([]);
  expect(annotations["summary"]).not.toMatch(/<no value>|%!|error/);
}

describe("a fleet in Prometheus", () => {
  it("has no alert while it is healthy", async () => {
    const since = await fleet.calm();
    await fleet.scrapes(SCRAPES);
    expect(await since.fired()).toEqual([]);
  });

  it("has no alert while its limit is used up, and is not scaled", async () => {
    const since = await fleet.calm();
    await fleet.addJobs(3_000);
    await fleet.until('sum(dt_limiting{dt_name="callee"}) == 3');
    await fleet.scrapes(SCRAPES);
    expect(await since.fired()).toEqual([]);
    await fleet.until('sum(dt_utilization{dt_kind="throttle"}) > 0.9');
    expect(await fleet.value("max(jobs_waiting)")).toBeGreaterThan(1_000);
    expect(await fleet.value(kedaQuery())).toBe(30);
    await fleet.until("fleet:jobs_to_scale_on == 30");
  });

  it("reports that its limit was changed", async () => {
    const since = await fleet.calm();
    const store = redisStore({ url: fleet.redis.url });
    await setLimit(store, { kind: "throttle", name: "callee" }, "60/s", { by: "ann", why: "a test" });
    await store.close();
    await firesAlone("DtLimitChanged", since);
  });

  it("is scaled where jobs wait and the limit is not used up", async () => {
    fleet.callee.takesMs = 1_000; // So the four calls that each worker makes at a time are what limits it.
    await fleet.until('max(dt_limiting{dt_name="callee"}) == 0');
    expect(await fleet.value(kedaQuery())).toBeGreaterThan(1_000);
    await fleet.until("fleet:jobs_to_scale_on > 1000");
    fleet.callee.takesMs = 0;
    await fleet.forgetJobs();
  });

  it("reports that a process is silent, and nothing when the others have dropped it", async () => {
    const since = await fleet.calm();
    const paused = fleet.workers[0] as SourceProcess;
    paused.signal("SIGSTOP");
    await firesAlone("DtMemberSilent", since);
    await fleet.until('max(dt_members{dt_kind="throttle"}) == 2');
    paused.signal("SIGCONT");
    await fleet.until('min(dt_members{dt_kind="throttle"}) == 3');
    expect(await since.fired()).toEqual(["DtMemberSilent"]);
  });

  it("reports a slow store", async () => {
    const since = await fleet.calm();
    fleet.proxy.apply({ type: "delay", delayMs: 280 });
    try {
      await firesAlone("DtStoreSlow", since);
    } finally {
      fleet.proxy.apply(undefined);
    }
  });

  it("reports 429 inside the limit", async () => {
    const since = await fleet.calm();
    fleet.callee.refusesOneOf = 10;
    await firesAlone("DtCalleeRefusesInsideLimit", since);
  });

  it("answers every query of the dashboard", async () => {
    // Nothing failed, and the limit was changed long ago.
    const mayBeEmpty = /error_type!=""|\[1m:\]\)\) > 0/;
    for (const { where, expr } of queriesOf(
      readFileSync(new URL("../grafana/dashboard.json", import.meta.url), "utf8"),
    )) {
      const samples = await fleet.prometheus.query(expr);
      if (mayBeEmpty.test(expr)) continue;
      expect(samples.filter(({ value }) => Number.isFinite(value)).length, `${where}: ${expr}`).toBeGreaterThan(0);
    }
  });
});

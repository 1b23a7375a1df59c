import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "vitest";
import { readLogs } from "../../src/chaos/history/read-logs.ts";
import type { FaultRecord } from "../../src/chaos/history/recovery.ts";
import { FACTS, runChaos } from "../../src/chaos/run/run-chaos.ts";
import { STORES } from "../../src/chaos/targets/index.ts";

/** Enough for a fault of each essential kind; the long runs are a command (`npm run chaos`). */
const DURATION_MS = 16_000;
const SEED = 11;
const WORKERS = 3;
/** The others are further ways to the scripts and the ledger of a store that is here: `npm run chaos` has them. */
const HERE = STORES.filter((store) => store !== "redis-cluster" && store !== "etcd");

describe.concurrent("a short run under real faults has no violation", () => {
  const runs = [...HERE.map((store) => [store, "even"] as const), ["redis", "demand"] as const];
  test.for(runs)("%s, shares %s", async ([store, shares], { expect, onTestFinished, signal }) => {
    const folder = await mkdtemp(join(tmpdir(), `dt-chaos-test-${store}-`));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const options = { store, durationMs: DURATION_MS, seed: SEED, workers: WORKERS, shares, folder, say: () => {} };
    const { result, findings } = await runChaos(options, signal);

    expect(findings.violations).toEqual([]);
    expect(result.worstEpoch).toBeLessThanOrEqual(result.overshoot ? Number.POSITIVE_INFINITY : result.max);
    // Each worker had been granted something for two seconds when the first fault came; a timer may be a little early.
    const { faults } = JSON.parse(await readFile(join(folder, FACTS), "utf8")) as { readonly faults: FaultRecord[] };
    const firstFaultMs = Math.min(...faults.map(({ startMs }) => startMs));
    const calm = (await readLogs(folder)).map(({ name, entries }) => {
      const grant = entries.find(({ type }) => type === "grant");
      return { name, calmMs: firstFaultMs - (grant?.atMs ?? Number.POSITIVE_INFINITY) };
    });
    const short = calm.filter(({ name, calmMs }) => name.endsWith("-boot-001") && calmMs < 1_990);
    expect(short).toEqual([]);
    // Not a run in which nothing happened.
    expect(result.epochs).toBeGreaterThan(10);
    expect(result.grants).toBeGreaterThan(5 * result.max);
    // By demand, who is to release evenly may be due next to nothing.
    if (shares === "even") expect(result.evenly).toBeGreaterThan(10);
    expect(result.givenBack.late).toBeGreaterThan(0);
    const kinds = Object.keys(result.faultKinds);
    expect(kinds).toEqual(expect.arrayContaining(["worker-kill", "worker-pause"]));
    expect(kinds.some((kind) => /^(server|master|leader)-kill$|^store-lock$/.test(kind))).toBe(true);
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runChaos } from "../../src/chaos/run/run-chaos.ts";
import { STORES } from "../../src/chaos/targets/index.ts";

/** Enough for a fault of each essential kind; the long runs are a command (`docs/chaos.md`). */
const DURATION_MS = 16_000;
const SEED = 11;
const WORKERS = 3;
/** The others are further ways to the scripts and the ledger of a store that is here: `npm run chaos` has them. */
const HERE = STORES.filter((store) => store !== "redis-cluster" && store !== "etcd");

// The time is against hangs: a machine that does much else starts servers slowly.
describe.concurrent("a short run under real faults has no violation", { timeout: 120_000 }, () => {
  const runs = [...HERE.map((store) => [store, "even"] as const), ["redis", "demand"] as const];
  /** Tokens granted by workers that release theirs evenly, in each run that shares evenly. */
  const evenly: number[] = [];
  // In all runs together: on a slow machine, who is to release evenly in one may be killed there before it has a token.
  // By demand it may be due next to nothing.
  afterAll(() => expect(evenly.reduce((sum, tokens) => sum + tokens, 0)).toBeGreaterThanOrEqual(10 * evenly.length));

  test.for(runs)("%s, shares %s", async ([store, shares], { expect, onTestFinished, signal }) => {
    const folder = await mkdtemp(join(tmpdir(), `dt-chaos-test-${store}-`));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const options = { store, durationMs: DURATION_MS, seed: SEED, workers: WORKERS, shares, folder, say: () => {} };
    const { result, findings } = await runChaos(options, signal);

    expect(findings.violations).toEqual([]);
    expect(result.worstEpoch).toBeLessThanOrEqual(result.overshoot ? Number.POSITIVE_INFINITY : result.max);
    // Not a run in which nothing happened.
    expect(result.epochs).toBeGreaterThan(10);
    expect(result.grants).toBeGreaterThan(5 * result.max);
    if (shares === "even") evenly.push(result.evenly);
    expect(result.givenBack.late).toBeGreaterThan(0);
    const kinds = Object.keys(result.faultKinds);
    expect(kinds).toEqual(expect.arrayContaining(["worker-kill", "worker-pause"]));
    expect(kinds.some((kind) => /^(server|master|leader)-kill$|^store-lock$/.test(kind))).toBe(true);
  });
});

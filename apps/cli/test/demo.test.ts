import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DemoResult } from "../src/demo/measure/verdict.ts";
import { type Finished, startDt } from "./support/cli.ts";
import { scratchFolder } from "./support/scratch.ts";

/**
 * What must hold on any machine, however busy. How well the limit was used and how evenly requests arrived depends on
 * the machine: the demo's own verdict judges it, and `exit code` says so.
 */
function expectSoundResult({ code, stdout, stderr }: Finished): DemoResult {
  if (stdout === "") throw new Error(`no result, exit code ${code}: ${stderr}`);
  const result: DemoResult = JSON.parse(stdout);
  expect(stdout.trimEnd()).not.toContain("\n");
  expect(stderr).toContain("worker 2 is killed (SIGKILL)");
  expect(code).toBe(result.pass ? 0 : 1);
  expect(result).toMatchObject({ max: 100, headroom: 3, limit: 97, workers: 4, seconds: 20, release: "even" });
  expect(result.maxGrantedPerEpoch).toBeGreaterThan(0);
  expect(result.maxGrantedPerEpoch).toBeLessThanOrEqual(97);
  expect(result.served + result.rejected429).toBeLessThanOrEqual(result.granted);
  // One process was killed with at most its 16 connections in use; everything else that was granted was sent and
  // arrived.
  expect(result.served + result.rejected429).toBeGreaterThan(result.granted - 16);
  expect(result.epochsWithoutChurn).toBeGreaterThan(0);
  expect(result.utilisation).toBeGreaterThan(0);
  expect(result.changes.map(({ change, worker }) => [change, worker])).toEqual([
    ["join", 5],
    ["kill", 2],
    ["leave", 1],
  ]);
  expect(result.convergenceMs).toHaveLength(3);
  expect(result.worstSlidingSecond).toBeGreaterThan(0);
  expect(result.checks.every(({ pass }) => pass)).toBe(result.pass);
  return result;
}

test("dt demo --json shares the limit among processes, in a file that stays", { timeout: 180_000 }, async () => {
  const folder = scratchFolder();
  const [store, svg] = [join(folder, "ledger.db"), join(folder, "chart.svg")];
  const args = ["demo", "--json", "--seconds", "20", "--store", `sqlite:${store}`, "--svg", svg];
  const result = expectSoundResult(await startDt(args).finished);
  expect(result.store).toBe(`sqlite:${store}`);
  expect(existsSync(store)).toBe(true);
  expect(readFileSync(svg, "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});

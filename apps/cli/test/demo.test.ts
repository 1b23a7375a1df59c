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
  expect(stderr).toContain("process 2 is killed without warning (SIGKILL)");
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
  // A quarter of 97 for each of five processes is too much, however slow the machine is.
  expect(result.fixedParts.part).toBe(24);
  expect(result.fixedParts.served + result.fixedParts.rejected429).toBeGreaterThan(0);
  expect(result.checks.every(({ pass }) => pass)).toBe(result.pass);
  return result;
}

/** The picture is well-formed, and its words and curves have the numbers of the result. */
function expectPictureOf(result: DemoResult, svg: string): void {
  expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  const names = (found: Iterable<RegExpMatchArray>): (string | undefined)[] =>
    [...found].map(([, name]) => name).sort();
  expect(names(svg.matchAll(/<(\w+)\b[^>]*(?<!\/)>/g))).toEqual(names(svg.matchAll(/<\/(\w+)>/g)));
  for (const { worstSlidingSecond, served, rejected429 } of [result, result.fixedParts])
    expect(svg).toContain(
      `at most ${worstSlidingSecond} calls in any second, ${rejected429} of ${served + rejected429} refused`,
    );
  const { changes, peaks } = readPlots(svg, result.seconds);
  const times = result.changes.map(({ atSeconds }) => atSeconds);
  for (const [index, seconds] of changes.entries()) expect(seconds).toBeCloseTo(times[index % 3] as number, 1);
  expect(changes).toHaveLength(6);
  expect(peaks).toEqual([result.worstSlidingSecond, result.fixedParts.worstSlidingSecond]);
}

/** The times of the changes, and the highest point of each fleet's curve, by the frames and the scale. */
function readPlots(svg: string, seconds: number): { changes: number[]; peaks: number[] } {
  const numbers = (pattern: RegExp): number[][] =>
    [...svg.matchAll(pattern)].map((found) => found.slice(1).map(Number));
  const frames = numbers(/class="frame" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g);
  const scale = Math.max(...numbers(/text-anchor="end">([\d.]+)</g).flat());
  const [left = 0, , width = 0] = frames[0] ?? [];
  const curves = [...svg.matchAll(/class="line first" d="([^"]+)"/g)].map(([, path = ""]) =>
    path
      .split(/[ML]/)
      .slice(1)
      .map((point) => Number(point.split(",")[1])),
  );
  return {
    changes: numbers(/class="event" x1="([\d.]+)"/g).map(([x = 0]) => (seconds * (x - left)) / width),
    peaks: frames.map(([, top = 0, , height = 0], index) =>
      Math.round(scale * (1 - (Math.min(...(curves[index] ?? [])) - top) / height)),
    ),
  };
}

test("dt demo --json shares the limit among processes, in a file that stays", async () => {
  const folder = scratchFolder();
  const [store, svg] = [join(folder, "ledger.db"), join(folder, "chart.svg")];
  const args = ["demo", "--json", "--seconds", "20", "--store", `sqlite:${store}`, "--svg", svg];
  const result = expectSoundResult(await startDt(args).finished);
  expect(result.store).toBe(`sqlite:${store}`);
  expect(existsSync(store)).toBe(true);
  expectPictureOf(result, readFileSync(svg, "utf8"));
});

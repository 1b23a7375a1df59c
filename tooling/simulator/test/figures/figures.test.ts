import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { figures, STALE_AFTER_MS, VALIDITY_MS } from "../../src/figures/figures.ts";
import { type Recording, record } from "../../src/figures/record.ts";
import { crash, cutOff, demand, handover, INTERVAL_MS, type Scene } from "../../src/figures/scene.ts";

const docs = join(import.meta.dirname, "../../../../docs");
const DRAW = "node --import ./tooling/bootstrap/src/from-sources.ts tooling/simulator/src/figures/main.ts";
const pictures = Object.entries(await figures());
const [A, B, C] = [0, 1, 2] as const;

const scenes: Readonly<Record<string, Scene>> = { handover, crash, cutOff, demand };
const runs: Readonly<Record<string, Recording>> = Object.fromEntries(
  await Promise.all(Object.entries(scenes).map(async ([name, scene]) => [name, await record(scene)] as const)),
);
const run = (name: string): Recording => runs[name] as Recording;
const granted = (name: string, process: number): readonly number[] => run(name).granted[process] ?? [];
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

describe("the figures of docs/how-it-works.md", () => {
  it(`are what the code does: draw them anew with ${DRAW}`, () => {
    for (const [name, picture] of pictures) expect(readFileSync(join(docs, name), "utf8"), name).toBe(picture);
  });

  it("can stand in one page: every id and animation begins with the picture's name", () => {
    for (const [file, picture] of pictures) {
      const name = file.replace(/\.svg$/, "");
      const names = [...picture.matchAll(/(?:\bid="|@keyframes |url\(#)([\w-]+)/g)].map(([, found]) => found);
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((found) => !found?.startsWith(`${name}-`))).toEqual([]);
    }
  });

  it("stand still, complete, where motion is not wanted: nothing moves that the rule does not stop", () => {
    for (const [, picture] of pictures) {
      expect(picture).toMatch(/@media \(prefers-reduced-motion: reduce\) \{ \.move, \.head \{ animation: none \} \}/);
      const still = picture.replace(/@keyframes[^\n]*/g, "").replace(/\n {2}\.head \{ animation[^\n]*/, "");
      expect(still).not.toMatch(/scaleX|opacity: 0\.45/);
      for (const [, classes] of picture.matchAll(/class="([^"]*\b[ens]\d+\b[^"]*)"/g))
        expect(classes).toContain("move");
    }
  });
});

describe("what the figures show", () => {
  it.each(Object.keys(scenes))("%s: no second and no state of the ledger is above the limit", (name) => {
    const { max, ledger, granted } = run(name);
    for (const second of (granted[A] ?? []).keys())
      expect(sum(granted.map((own) => own[second] ?? 0)), `second ${second}`).toBeLessThanOrEqual(max);
    for (const { atMs, held } of ledger) expect(sum(held), `${atMs} ms`).toBeLessThanOrEqual(max);
  });

  it("handover: the newcomer holds only what the others gave up, and every second uses the whole limit", () => {
    const { max, ledger, granted } = run("handover");
    const joined = ledger.find(({ members }) => members === 3);
    expect(joined?.held).toEqual([max / 2, max / 2, 0]);
    for (const second of (granted[A] ?? []).keys()) expect(sum(granted.map((own) => own[second] ?? 0))).toBe(max);
    expect(ledger.at(-1)).toMatchObject({ held: [0, max / 2, max / 2], members: 2 });
  });

  it("crash: the tokens are back after the stale age, at the first sync of the others, and not before", () => {
    const { max, ledger, lastSyncMs } = run("crash");
    const sync = lastSyncMs[C] ?? Number.NaN;
    const crashMs = crash.actors[C]?.ends?.atMs ?? Number.NaN;
    const removed = ledger.find(({ members }) => members === 2)?.atMs ?? Number.NaN;
    expect(crashMs - sync).toBeLessThanOrEqual(1.25 * INTERVAL_MS);
    expect(removed - sync).toBeGreaterThanOrEqual(STALE_AFTER_MS);
    expect(removed - sync).toBeLessThanOrEqual(STALE_AFTER_MS + 1.25 * INTERVAL_MS);
    expect(ledger.at(-1)?.held).toEqual([max / 2, max / 2, 0]);
    expect(granted("crash", A).at(-1)).toBe(max / 2);
  });

  it("cut off: a process without the store goes on until its validity ends, before its tokens are given away", () => {
    const { max, ledger, lastSyncMs, lastGrantMs } = run("cutOff");
    const [sync = Number.NaN, last = Number.NaN] = [lastSyncMs[C], lastGrantMs[C]];
    const removed = ledger.find(({ members }) => members === 2)?.atMs ?? Number.NaN;
    expect(last - sync).toBeLessThanOrEqual(VALIDITY_MS);
    expect(last - sync).toBeGreaterThan(VALIDITY_MS - INTERVAL_MS);
    expect(last).toBeLessThan(removed);
    expect(granted("cutOff", C).slice(0, 10)).toEqual(Array.from({ length: 10 }, () => max / 3));
  });

  it("demand: a busy process has what the others leave, two busy ones have the same, and little is lost", () => {
    const { max } = run("demand");
    const all = [A, B, C].map((process) => granted("demand", process));
    for (const second of [1, 2, 3]) expect(all.map((own) => own[second])).toEqual([8, 2, 2]);
    for (const second of [5, 6, 7, 8])
      expect(Math.abs((all[A]?.[second] ?? 0) - (all[B]?.[second] ?? 0))).toBeLessThanOrEqual(1);
    for (const second of [12, 13]) expect(all.map((own) => own[second])).toEqual([2, 8, 2]);
    for (const second of Array.from({ length: 14 }, (_, index) => index))
      expect(sum(all.map((own) => own[second] ?? 0))).toBeGreaterThanOrEqual(max - 1);
  });
});

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { conformanceCases } from "@dt/conformance";
import { MemoryStore } from "@dt/core";
import { workspacePackages } from "@dt-tooling/bootstrap";
import { expect, it, vi } from "vitest";
import { memoryTarget } from "../../../../packages/conformance/test/support/targets.ts";
import { runTarget } from "../../src/conformance/run-target.ts";
import { entries } from "../../src/conformance/targets.ts";

it("every package with a target is on the list", () => {
  const stores = workspacePackages()
    .filter(({ path }) => existsSync(join(path, "test/support/targets.ts")))
    .map(({ path }) => ({ "custom-store": "lmdb", conformance: "memory" })[basename(path)] ?? basename(path));
  const names = entries.map(({ target }) => target.name);
  expect(stores.length).toBeGreaterThan(5);
  expect(stores.filter((store) => !names.some((name) => name === store || name.startsWith(`${store} (`)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

it("a target that passes is counted case by case, and stopped", async () => {
  const stop = vi.fn(async () => {});
  const result = await runTarget({ target: { ...memoryTarget, stop } }, () => {});
  expect(result.failed).toBe(0);
  expect(result.passed + result.skipped.length).toBe(conformanceCases(memoryTarget).length);
  expect(stop).toHaveBeenCalledOnce();
});

it("a broken store counts as failed, and what it breaks is said", async () => {
  class Deaf extends MemoryStore {
    override async deregister(): Promise<void> {}
  }
  const lines: string[] = [];
  const result = await runTarget({ target: { ...memoryTarget, createStore: () => new Deaf() } }, (line) =>
    lines.push(line),
  );
  expect(result.failed).toBeGreaterThan(0);
  expect(lines.some((line) => line.startsWith("memory: FAILED R12: "))).toBe(true);
});

it("a target whose server does not start counts as failed, and is stopped", async () => {
  const stop = vi.fn(async () => {});
  const start = () => Promise.reject(new Error("no such program"));
  const lines: string[] = [];
  const entry = { target: { ...memoryTarget, start, stop } };
  expect(await runTarget(entry, (line) => lines.push(line))).toMatchObject({ passed: 0, failed: 1 });
  expect(lines.join("\n")).toContain("memory: FAILED: Error: no such program");
  expect(stop).toHaveBeenCalledOnce();
});

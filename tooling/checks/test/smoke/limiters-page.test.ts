import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptiveRate, createAdaptiveThrottle, createConcurrencyLimit, createGuard } from "@dt/adaptive";
import { createBudget } from "@dt/budget";
import { createGroupedPacer, createPacer, createSemaphore, createThrottle, MemoryStore } from "@dt/core";
import { createKeyed } from "@dt/keyed";
import { loader } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";

const page = readFileSync(new URL("../../../../docs/limiters.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/### ([^\n]+)\n\n```js\n(.*?)```\n\n```text\n(.*?)```/gs)].map(
  ([, name = "", code = "", output = ""]) => ({ name, code, output }),
);

const name = "page";
/** By the names of the functions that create them. */
const limiters = {
  createThrottle: () => createThrottle({ name, rate: 10, store: new MemoryStore() }),
  createSemaphore: () => createSemaphore({ name, max: 10, store: new MemoryStore() }),
  createPacer: () => createPacer({ name, rate: 10, store: new MemoryStore() }),
  createGroupedPacer: () =>
    createGroupedPacer({ name, rate: 10, sites: { here: { store: new MemoryStore() } }, site: "here" }),
  createBudget: () => createBudget({ name, limits: { requests: { rate: "10/s" } }, store: new MemoryStore() }),
  createKeyed: () => createKeyed({ name, limit: { rate: "10/s" }, store: new MemoryStore() }).for("page"),
  createConcurrencyLimit: () => createConcurrencyLimit({ name }),
  createAdaptiveRate: () => createAdaptiveRate({ name }),
  createAdaptiveThrottle: () => createAdaptiveThrottle({ name }),
  createGuard: () => createGuard({ name }),
};

/** The rows of a table, by the text of its first column. */
function tableAfter(head: string): Map<string, string[]> {
  const [, rest = ""] = page.split(head);
  const [table = ""] = rest.split("\n\n");
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(rows.map((row) => row.split("|").slice(1, -1)).map(([first = "", ...cells]) => [bare(first), cells]));
}

const bare = (cell: string): string => cell.trim().replaceAll("`", "");
const created = tableAfter("| limiter | created by |");
const asked = tableAfter("| limiter | `acquire` resolves to |");

describe("docs/limiters.md", () => {
  it("has every limiter in both tables, and an example of each", () => {
    expect([...created.values()].map(([by = ""]) => bare(by))).toEqual(Object.keys(limiters));
    expect([...asked.keys()]).toEqual([...created.keys()]);
    for (const [, [by = ""]] of created) expect(examples.some(({ code }) => code.includes(`${bare(by)}(`))).toBe(true);
  });

  it.each([...created])("is true of a %s: what it has, and what it answers", async (kind, [by = ""]) => {
    const limiter = limiters[bare(by) as keyof typeof limiters]();
    expect(limiter.constructor.name).toBe(kind);
    const [acquired = "", tried = "", , , besides = ""] = asked.get(kind) ?? [];
    const methods = new Set([...besides.matchAll(/`(\w+)`/g)].map(([, method]) => method as string));
    for (const common of ["tryAcquire", "run", "wrap", "status", "on", "drain", "stop"]) methods.add(common);
    if (!acquired.includes("never")) methods.add("acquire");
    const all = [
      "acquire",
      "acquireUpTo",
      "acquireGrant",
      "batches",
      "update",
      "cap",
      "pause",
      "pauseUntil",
      "settle",
      "learn",
      "check",
      "peek",
      ...methods,
    ];
    const has = (method: string): boolean =>
      typeof (limiter as unknown as Record<string, unknown>)[method] === "function";
    expect(new Set(all.filter(has))).toEqual(methods);
    const answer: unknown = limiter.tryAcquire();
    const shape = answer instanceof Promise ? "a promise" : typeof answer === "boolean" ? "a boolean" : "or undefined";
    expect(tried).toContain(shape);
    await answer;
    await limiter.stop();
    const refused = async (): Promise<unknown> => limiter.tryAcquire();
    await expect(refused()).rejects.toMatchObject({ code: "DT_STOPPED" });
    expect(limiter.name).toBe(name);
  });

  it.each(examples)("its example of a $name prints what the page shows", ({ code, output }) => {
    const folder = mkdtempSync(join(tmpdir(), "dt-page-"));
    try {
      const script = join(folder, "example.mjs");
      writeFileSync(script, code);
      const args = ["--no-warnings", "--import", loader, script];
      const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", timeout: 300_000 });
      expect(run.stderr).toBe("");
      expect(run.stdout).toBe(output);
      expect(run.status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

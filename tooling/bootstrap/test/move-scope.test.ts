import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const script = join(import.meta.dirname, "../move-scope.mjs");
const constant = "packages/core/src/errors/scope.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dt-scope-"));
  write(constant, 'export const SCOPE = "@one";\n');
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

const read = (file: string): string => readFileSync(join(folder, file), "utf8");

function run(...args: string[]) {
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  execFileSync("git", ["add", "--all"], { cwd: folder });
  return spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8" });
}

it("moves names, imports, the constant and pages to another scope", () => {
  write("package.json", '{ "name": "@one/a", "peerDependencies": { "@one/core": "workspace:^" } }');
  write("a.ts", 'import "@one/core/internal"; expect(/@one\\/core: gone/);');
  write("page.md", "The packages of @one, such as `@one/core`.");
  expect(run("@two")).toMatchObject({ status: 0, stdout: expect.stringContaining("@one is @two in 4 files") });
  expect(read(constant)).toBe('export const SCOPE = "@two";\n');
  expect(read("package.json")).toBe('{ "name": "@two/a", "peerDependencies": { "@two/core": "workspace:^" } }');
  expect(read("a.ts")).toBe('import "@two/core/internal"; expect(/@two\\/core: gone/);');
  expect(read("page.md")).toBe("The packages of @two, such as `@two/core`.");
});

it("leaves other scopes, addresses and files that are no text alone", () => {
  const others = "@one-tooling/a ann@one.example @oneness";
  write("others.txt", others);
  write("image.bin", "@one/a\0");
  expect(run("@two").status).toBe(0);
  expect(read("others.txt")).toBe(others);
  expect(read("image.bin")).toBe("@one/a\0");
});

it.each([[], ["two"], ["@Two"], ["@two/core"]])("refuses what is no scope: %j", (...args) => {
  const { status, stderr } = run(...args);
  expect(status).toBe(1);
  expect(stderr).toContain("is no npm scope; give one such as @example");
  expect(read(constant)).toBe('export const SCOPE = "@one";\n');
});

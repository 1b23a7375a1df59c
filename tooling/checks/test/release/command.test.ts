import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, it } from "vitest";

const main = join(repositoryRoot, "tooling/checks/src/release/main.ts");

/** The command as this checkout has it, but with an origin that is on no host: it ends before it builds. */
function release(...args: string[]) {
  const origin = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "remote.origin.url", GIT_CONFIG_VALUE_0: "/nowhere" };
  const env = { ...process.env, ...origin };
  return spawnSync(process.execPath, [main, ...args], { cwd: repositoryRoot, env, encoding: "utf8" });
}

it("refuses with the remedy, and does nothing after that", () => {
  const { status, stdout } = release("--dry-run");
  expect(stdout).toContain('✗ the remote `origin` is "/nowhere", which is on no host: clone the public repository');
  for (const step of ["build", "pack", "contents", "ready"])
    expect(stdout).toMatch(new RegExp(`^--- ${step}: skipped`, "m"));
  expect(stdout).toMatch(/\n0 passed, \d+ failed, 4 skipped\n$/);
  expect(status).toBe(1);
});

it("names an option that there is not", () => {
  const { status, stderr } = release("--dryrun");
  expect(stderr).toContain("--dryrun");
  expect(stderr).toContain("--help lists the options");
  expect(status).toBe(2);
});

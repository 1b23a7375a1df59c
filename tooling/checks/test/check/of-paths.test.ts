import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";
import { runSteps } from "../../src/check/run-steps.ts";
import { ofPaths, partAt } from "../../src/check/steps/of-paths.ts";

const partOf = (path: string) => {
  const { packages, tests } = partAt(path);
  return { packages: packages.map(({ folder }) => folder), tests };
};

describe("npm test -- <path>", () => {
  it("is a package, with all its tests and none of a package whose name begins the same", () => {
    for (const path of ["packages/core", "packages/core/", join(repositoryRoot, "packages/core")])
      expect(partOf(path)).toEqual({ packages: ["packages/core"], tests: [join(repositoryRoot, "packages/core/")] });
  });

  it("among a package's tests is those tests, and elsewhere in it all of them", () => {
    const [test, folder] = ["packages/core/test/smoke.test.ts", "packages/core/test/shares"];
    expect(partOf(test)).toEqual({ packages: ["packages/core"], tests: [join(repositoryRoot, test)] });
    expect(partOf(folder).tests).toEqual([join(repositoryRoot, folder)]);
    expect(partOf("packages/core/src/shares").tests).toEqual([join(repositoryRoot, "packages/core/")]);
  });

  it("may be a folder of packages", () => {
    expect(partOf("examples").packages).toEqual([
      "examples/adaptive",
      "examples/coming-from",
      "examples/custom-store",
      "examples/llm-quota",
      "examples/metrics",
      "examples/semaphore",
      "examples/tenants",
    ]);
    expect(partOf("packages").packages).toContain("packages/redis");
  });

  it("that is nothing here is refused, with an example", () => {
    expect(() => partAt("packages/rediss")).toThrow("There is no package at packages/rediss; a path is, for example,");
    expect(() => partAt("..")).toThrow("There is no package at ..");
    const main = join(import.meta.dirname, "../../src/check/main.ts");
    const { status, stdout } = spawnSync(process.execPath, [main, "packages/rediss"], { encoding: "utf8" });
    expect(stdout.split("\n").slice(-2)).toEqual(["0 passed, 1 failed, 0 skipped", ""]);
    expect(status).toBe(1);
  });

  it("builds what the package imports, and runs its types, lint and tests", async () => {
    const written: string[] = [];
    const outcome = await runSteps(ofPaths(["tooling/bootstrap/test/node-binary.test.ts"]), {
      now: () => performance.now(),
      write: (text) => written.push(text),
      isStopped: () => false,
    });
    const output = written.join("");
    expect(outcome, output).toEqual({ totals: { passed: 3 + 4, failed: 0, skipped: 0 }, firstFailed: undefined });
    expect(output).toMatch(/Test Files\s+1 passed/);
    expect(output).toMatch(/The slowest test files:\n.*tooling\/bootstrap\/test\/node-binary\.test\.ts/);
  });
});

import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");

/** The blocks of code in docs/ that name the file that they are: a scenario, or a file of the repository. */
const examples = globSync("docs/**/*.md", { cwd: root }).flatMap((page) =>
  [
    ...readFileSync(join(root, page), "utf8").matchAll(/<!-- example: (\S+\/\S+) -->\n```(?:js|ts)\n([\s\S]*?)```/g),
  ].map(([, path = "", code = ""]) => ({ page, path, code })),
);

function fileOf(path: string): string {
  const scenario = join(root, "tooling/checks/scenarios", path);
  return existsSync(scenario) ? scenario : join(root, path);
}

describe("code in docs/ that is to be copied", () => {
  it("is there", () => expect(examples.length).toBeGreaterThan(3));

  it.each(examples)("$page shows $path to the letter", ({ path, code }) => {
    expect(code).toBe(readFileSync(fileOf(path), "utf8"));
  });
});

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";

/**
 * Lints one text as if it were that file of the repository, under the repository's own configuration.
 *
 * @returns the rules that complain, such as "plugin"; those about style that have nothing to do with time are left out.
 */
export function complaintsAbout(file: string, text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "dt-lint-"));
  try {
    for (const part of ["biome.json", ".gitignore", "tooling/bootstrap/runtime-only.grit"]) {
      cpSync(join(repositoryRoot, part), join(folder, part));
    }
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
    const biome = join(repositoryRoot, "node_modules/.bin/biome");
    const { stdout, stderr, status } = spawnSync(biome, ["lint", "--reporter=github", file], {
      cwd: folder,
      encoding: "utf8",
    });
    const rules = [...stdout.matchAll(/^::error title=([^,]+)/gm)].map((match) => match[1] ?? "");
    if (status !== (rules.length > 0 ? 1 : 0)) throw new Error(`biome ended with ${status}: ${stdout}${stderr}`);
    return rules.filter((rule) => rule === "plugin" || rule.startsWith("lint/style/noRestricted"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `npm run -s release`: everything of a release but the registry. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { repositoryRoot, type WorkspacePackage } from "@dt-tooling/bootstrap";
import { count, format } from "../check/check-results.ts";
import { checkPackaging } from "../check/packaging.ts";
import { runCommand } from "../check/run-command.ts";
import type { Step } from "../check/step.ts";
import { toolStep } from "../check/steps/tool-step.ts";
import { turbo } from "../check/steps/tools.ts";
import { add, none, oneFailed, onePassed } from "../check/totals.ts";
import type { CheckResult } from "../smoke/index.ts";
import { notesOf } from "./changelog.ts";
import { HELP, type Options, parseOptions } from "./options.ts";
import { type PackedRelease, packRelease } from "./pack.ts";
import { problemsOf } from "./preflight.ts";
import { publishedPackages } from "./published-packages.ts";
import { stateOf } from "./state.ts";
import { releaseProblems } from "./tarball.ts";

await main();

async function main(): Promise<void> {
  let options: Options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}; --help lists the options\n`);
    process.exitCode = 2;
    return;
  }
  if (options.help) process.stdout.write(HELP);
  else await release(options);
}

async function release({ dryRun, out }: Options): Promise<void> {
  const folder = dryRun ? mkdtempSync(join(tmpdir(), "dt-release-")) : resolve(repositoryRoot, out);
  try {
    await runCommand(() => steps(folder, dryRun));
  } finally {
    if (dryRun) rmSync(folder, { recursive: true, force: true });
  }
}

function steps(folder: string, dryRun: boolean): Step[] {
  const packages = publishedPackages();
  const state = stateOf();
  const version = packages[0]?.manifest.version ?? "";
  let groups: readonly (readonly PackedRelease[])[] = [];
  return [
    {
      name: "may be released",
      run: async (write) => {
        const problems = problemsOf(state, (changelog, of) => notesOf(changelog, of) !== undefined);
        if (!dryRun && !isEmpty(folder)) problems.push(`${folder} is not empty: remove it, or choose another --out`);
        for (const problem of problems) write(`  ✗ ${problem}\n`);
        return problems.map(() => oneFailed).reduce(add, problems.length === 0 ? onePassed : none);
      },
    },
    { ...toolStep("build", "turbo", ["run", "build", ...filters(packages), ...turbo]), needs: "may be released" },
    {
      name: "pack",
      needs: "build",
      run: async (write) => {
        groups = await packRelease(packages, folder, dryRun, write);
        write(`  ${groups.flat().length} of ${packages.length} packages are packed\n`);
        return onePassed;
      },
    },
    {
      name: "contents",
      needs: "pack",
      run: async (write) => {
        const results = await contentsOf(groups.flat(), packages, folder);
        for (const result of results) write(`${format(result)}\n`);
        return groups.length === 0 ? onePassed : count(results);
      },
    },
    {
      name: "ready",
      needs: "contents",
      run: async (write) => {
        write(groups.length === 0 ? "  The registry has everything: nothing is published.\n" : shown(groups, folder));
        if (dryRun || groups.length === 0) {
          if (dryRun) write("  Stopped here, before the registry: this was a dry run.\n");
          return onePassed;
        }
        writeFileSync(join(folder, "version"), version);
        writeFileSync(join(folder, "notes.md"), `${notesOf(state.changelog, version)}\n`);
        write(`  Publish it: pnpm changeset publish --from-pack-dir ${folder} --no-git-tag\n`);
        return onePassed;
      },
    },
  ];
}

function filters(packages: readonly WorkspacePackage[]): string[] {
  return packages.map(({ manifest }) => `--filter=${manifest.name}`);
}

async function contentsOf(
  releases: readonly PackedRelease[],
  packages: readonly WorkspacePackage[],
  folder: string,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, version, tarball } of releases) {
    const found = packages.find(({ manifest }) => manifest.name === name) as WorkspacePackage;
    const file = join(folder, tarball.path);
    results.push(...(await checkPackaging({ ...found, tarball: file })));
    const problems = releaseProblems(file, name, version);
    const check = `${name}: version, LICENSE, README, repository, ranges`;
    results.push(
      problems.length === 0
        ? { name: check, status: "passed" }
        : { name: check, status: "failed", reason: problems.join("\n") },
    );
  }
  return results;
}

/** What would be published, in order: no package before one that it asks for. */
function shown(groups: readonly (readonly PackedRelease[])[], folder: string): string {
  const lines = groups.flatMap((group, index) =>
    group.map(({ name, version, tag, tarball }) => {
      const kB = (statSync(join(folder, tarball.path)).size / 1000).toFixed(1);
      return `  ${index + 1}. ${name}@${version} (${tag}), ${kB} kB: ${tarball.path}`;
    }),
  );
  return `${lines.join("\n")}\n`;
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
}

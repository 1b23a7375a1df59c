import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspacePackage } from "@dt-tooling/bootstrap";
import { run } from "../check/child.ts";
import type { Write } from "../check/step.ts";
import { type PublishPlan, planOf, type Release } from "./plan.ts";
import { restore } from "./state.ts";

/** A package of a plan, and where its tarball lies. */
export type PackedRelease = Release & { readonly tarball: { readonly path: string } };

/** Where things are in the folder of a release, as changesets has it. */
const PLAN = "publish-plan.json";

/**
 * Packs what is to be published into a folder, from which `changeset publish --from-pack-dir` takes it. The address of
 * the sources is written into each package.json for that time only.
 *
 * @param dryRun everything, without asking the registry what it has
 * @throws Error when a tool fails
 */
export async function packRelease(
  packages: readonly WorkspacePackage[],
  folder: string,
  dryRun: boolean,
  write: Write,
): Promise<readonly (readonly PackedRelease[])[]> {
  mkdirSync(folder, { recursive: true });
  const plan = join(folder, PLAN);
  try {
    await tool("node", ["tooling/bootstrap/name-repository.mjs"], write);
    if (dryRun) writeFileSync(plan, JSON.stringify(planOf(packages)));
    else await tool("changeset", ["publish-plan", "--output", plan], write);
    if ((JSON.parse(readFileSync(plan, "utf8")) as PublishPlan).plan.length === 0) return [];
    await tool("changeset", ["pack", "--from-publish-plan", plan, "--out-dir", folder], write);
  } finally {
    restore(packages.map(({ path }) => join(path, "package.json")));
  }
  const { plan: groups } = JSON.parse(readFileSync(plan, "utf8")) as { plan: readonly (readonly PackedRelease[])[] };
  return groups;
}

async function tool(name: string, args: readonly string[], write: Write): Promise<void> {
  let output = "";
  const problem = await run(name, args, (text) => {
    output += text;
  });
  if (problem === undefined) return;
  write(output);
  throw new Error(`${name} ${args.join(" ")} ended with ${problem}`);
}

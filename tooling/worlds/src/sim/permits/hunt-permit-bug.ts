import { rm } from "node:fs/promises";
import { brokenCopy } from "../bugs/broken-copy.ts";
import type { Bug } from "../bugs/bug.ts";
import { loadPermitCore } from "./permit-core.ts";
import { FOUND, WORLDS } from "./worlds.ts";

/** Where a bug showed. */
export interface PermitFinding {
  readonly world: string;
  readonly seed: number;
  readonly rule: string;
}

/** Runs the worlds in turn, seed by seed, over core with the bug in it, until one of the first `seeds` shows it. */
export async function huntPermitBug(sources: string, bug: Bug, seeds: number): Promise<PermitFinding | undefined> {
  const folder = await brokenCopy(sources, bug);
  try {
    const core = await loadPermitCore(folder);
    // Those that found a fault once come last.
    const found = WORLDS.flatMap((world) => (FOUND[world.name] ?? []).map((seed) => ({ ...world, seed })));
    const first = Array.from({ length: seeds }, (_, seed) => WORLDS.map((world) => ({ ...world, seed })));
    for (const { name, run, seed } of [...first.flat(), ...found]) {
      const [violation] = (await run(core, seed)).violations;
      if (violation) return { world: name, seed, rule: violation.rule };
    }
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

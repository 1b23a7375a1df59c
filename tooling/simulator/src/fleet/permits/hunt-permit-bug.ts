import type { PermitBug } from "./permit-bugs.ts";
import { FOUND, WORLDS } from "./worlds.ts";

/** Where a bug showed. */
export interface PermitFinding {
  readonly world: string;
  readonly seed: number;
  readonly rule: string;
}

/** Runs the worlds in turn, seed by seed, with the bug put in, until one of the first `seeds` shows it. */
export async function huntPermitBug(bug: PermitBug, seeds: number): Promise<PermitFinding | undefined> {
  // Those that found a fault once come last.
  const found = WORLDS.flatMap((world) => (FOUND[world.name] ?? []).map((seed) => ({ ...world, seed })));
  const first = Array.from({ length: seeds }, (_, seed) => WORLDS.map((world) => ({ ...world, seed })));
  for (const { name, run, seed } of [...first.flat(), ...found]) {
    const [violation] = (await run(seed, bug)).violations;
    if (violation) return { world: name, seed, rule: violation.rule };
  }
  return undefined;
}

import { isDtError, systemRuntime } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { type CaseDefinition, runsAlone, skipReason, takesServerAway } from "./case.ts";
import { allCases } from "./cases/index.ts";
import { checkTarget } from "./check-target.ts";
import { CaseContext } from "./context.ts";
import { ConformanceFailure, SkippedCase } from "./failure.ts";
import type { Rule } from "./rules.ts";
import type { StoreTarget } from "./target.ts";

/** A case of the suite for one target. */
export interface ConformanceCase {
  /** The case's name, unique within its rule. */
  readonly name: string;
  /** The rule that it checks, such as `R7` or `P4`. */
  readonly rule: Rule;
  /** What goes wrong for users of a store that breaks the rule. */
  readonly why?: string;
  /** Why the case cannot run for this target; undefined when it can. */
  readonly skip?: string;
  /** True for cases that disturb the server: run them when no other case is running. */
  readonly alone: boolean;
  /**
   * Runs the case once, on stores of its own.
   * @throws ConformanceFailure when the store breaks a rule; SkippedCase when it turns out to lack an optional part
   *   that the case is about
   */
  run(): Promise<void>;
}

/** The seed of a run that names none. */
export const DEFAULT_SEED = 1;

/**
 * Every case, bound to the target, in the order of the suite.
 * @param target the store under test
 * @param options which cases, and how long they run
 * @throws DtError `DT_INVALID_OPTION` for a property of the target that there is not
 * @example const names = conformanceCases(target).map(({ name }) => name);
 */
export function conformanceCases(
  target: StoreTarget,
  options: { readonly seed?: number } = {},
): readonly ConformanceCase[] {
  checkTarget(target);
  const seed = options.seed ?? DEFAULT_SEED;
  return allCases.map((definition) => {
    const skip = skipReason(definition, target);
    return {
      name: definition.name,
      rule: definition.rule,
      ...(definition.why !== undefined && { why: definition.why }),
      ...(skip !== undefined && { skip }),
      alone: runsAlone(definition),
      run: () => runCase(definition, target, seed),
    };
  });
}

async function runCase(definition: CaseDefinition, target: StoreTarget, seed: number): Promise<void> {
  const random = seededRandom(seed, definition.name);
  const context = new CaseContext(
    target,
    definition.rule,
    { outage: takesServerAway(definition) },
    target.runtime ?? systemRuntime,
    random,
  );
  let problem: unknown;
  try {
    await definition.run(context);
  } catch (error) {
    problem = error;
  }
  try {
    await context.finish();
  } catch (error) {
    // A broken rule says more than what followed from it.
    if (!(problem instanceof ConformanceFailure || problem instanceof SkippedCase)) problem ??= error;
  }
  if (problem === undefined || problem instanceof ConformanceFailure || problem instanceof SkippedCase) {
    if (problem !== undefined) throw problem;
    return;
  }
  throw asFailure(problem, context);
}

/**
 * A call that failed although the case needed it to succeed: a DtError, or anything else that the store or the target
 * threw.
 */
function asFailure(problem: unknown, context: CaseContext): ConformanceFailure {
  const what = isDtError(problem) ? `${problem.code}: ${problem.message}` : String(problem);
  return new ConformanceFailure(context.rule, `a call failed that must succeed: ${what}`, context.history, {
    cause: problem,
  });
}

/** A seeded generator of numbers in [0, 1): the same seed and case give the same schedule. */
export function seededRandom(seed: number, salt: string): () => number {
  let state = seed >>> 0;
  for (const character of salt) state = (Math.imul(state, 31) + (character.codePointAt(0) as number)) >>> 0;
  const chance = new VirtualRuntime({ seed: state });
  return () => chance.random();
}

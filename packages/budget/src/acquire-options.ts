import type { AcquireOptions } from "@dt/core";
import {
  ACQUIRE_OPTIONS,
  type AcquireSettings,
  checkAcquireOptions,
  checkCall,
  describe,
  invalidOption,
} from "@dt/core/internal";
import type { Usage } from "./cost.ts";
import type { Learner } from "./estimates.ts";

/** How one call waits, and by what its size is estimated. */
export interface BudgetAcquireOptions extends AcquireOptions {
  /**
   * Whose call it is. Of one priority the keys take turns, so that a caller with many calls does not hold up the
   * others. Sizes that are not known are estimated by it.
   * @default "", one key for all calls
   */
  readonly key?: string | undefined;
  /**
   * What sizes that are not known are estimated by, such as the name of a model.
   * @default ""
   */
  readonly model?: string | undefined;
}

/** How a call of `run` or `wrap` is settled. */
export interface SettleOption<Limit extends string = string> {
  /**
   * Reads what a call has cost: from its result, or from each item of a stream. Of several usages the last one of each
   * limit and part counts. Where it reads nothing, the call is settled as reserved, and counted as estimated.
   * @default the usage that providers of language models report (`usageOf` of `@dt/adaptive`), for every limit except
   */
  readonly settle?: ((value: unknown) => Usage<Limit> | undefined) | undefined;
}

/** The options of one call, checked. */
export interface BudgetCall extends AcquireSettings {
  readonly learner: Learner;
}

const KNOWN: ReadonlySet<string> = new Set([...ACQUIRE_OPTIONS, "key", "model"]);
const LONGEST_KEY = 1_024;

/**
 * Checks how one call waits.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkBudgetCall(options: BudgetAcquireOptions | undefined): BudgetCall {
  const { key = "", model = "" } = options ?? {};
  return {
    ...checkAcquireOptions(options, KNOWN),
    learner: { key: checkText("key", key), model: checkText("model", model) },
  };
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkSettle(settle: unknown): void {
  if (settle !== undefined) checkCall("settle", settle, "give a function that reads the usage of a result");
}

function checkText(name: string, value: unknown): string {
  if (typeof value === "string" && value.length <= LONGEST_KEY) return value;
  throw invalidOption(name, value, `give a text of at most ${LONGEST_KEY} characters, not ${describe(value)}`);
}

import { isDtError } from "@dt/core";
import { checkDuration, invalidOption } from "@dt/core/internal";
import { type CalleeReport, checkOutcome, type Outcome } from "./outcome.ts";

/** How a call ended, as the language sees it: with a value, or by throwing. */
export type Ended = { readonly value: unknown } | { readonly error: unknown };

/** What an ended call means. */
export interface Verdict {
  /** How the call ended. */
  readonly outcome: Outcome;
  /** The callee's report of the call, if any. */
  readonly report?: CalleeReport | undefined;
  /** For how long the callee asks to be left alone, in milliseconds; at most 366 days. */
  readonly retryAfterMs?: number | undefined;
  /**
   * True when the callee answered that it takes no more, rather than not in time. Without `retryAfterMs` it is left
   * alone for about a second, longer each time in a row.
   */
  readonly refused?: boolean | undefined;
}

/** Knows some ways in which calls end; undefined for all others. A name alone is a verdict without more. */
export type Rule = (ended: Ended) => Outcome | Verdict | undefined;

/** Judges the end of every call. */
export type Classifier = (ended: Ended) => Verdict;

const VERDICTS: Readonly<Record<Outcome, Verdict>> = {
  success: { outcome: "success" },
  overload: { outcome: "overload" },
  failure: { outcome: "failure" },
  ignored: { outcome: "ignored" },
};

/** Errors of `@dt` packages that mean that the call was never made. */
const NOT_MADE = ["DT_ABORTED", "DT_TIMEOUT", "DT_LIMITED", "DT_QUEUE_FULL", "DT_STOPPED"] as const;

/**
 * A classifier of rules: the first one that knows a call's end decides. An end that no rule knows is `success` when the
 * call has a value, and `failure` when it threw. A refusal by one of our limiters is `ignored`: the call was never
 * made.
 * @param rules rules, of which the first that knows an ending decides
 * @throws DtError `DT_INVALID_OPTION` when a rule is not a function
 * @example const classify = classifier(({ error }) => (error instanceof Busy ? "overload" : undefined));
 */
export function classifier(...rules: readonly Rule[]): Classifier {
  for (const rule of rules)
    if (typeof rule !== "function") throw invalidOption("rule", rule, "give a function of how a call ended");
  return (ended) => {
    for (const rule of rules) {
      const known = rule(ended);
      if (known !== undefined) return typeof known === "object" && known !== null ? checked(known) : verdict(known);
    }
    if (!("error" in ended)) return VERDICTS.success;
    const { error } = ended;
    return NOT_MADE.some((code) => isDtError(error, code)) ? VERDICTS.ignored : VERDICTS.failure;
  };
}

/** The verdict that is an outcome and nothing else. */
function verdict(outcome: Outcome): Verdict {
  checkOutcome(outcome);
  return VERDICTS[outcome];
}

function checked(given: Verdict): Verdict {
  checkOutcome(given.outcome);
  if (given.retryAfterMs !== undefined) checkDuration("retryAfterMs", given.retryAfterMs, 0);
  return given;
}

/**
 * Errors often carry the one that says more as their `cause`, or as `lastError` where attempts were repeated (the AI
 * SDK); a chain of more than so many is not looked through.
 */
const DEEPEST = 5;

/** The error of a call that threw and what caused it, the outermost first. */
export function* errorsOf(ended: Ended): Generator<Readonly<Record<string, unknown>>> {
  let error = "error" in ended ? ended.error : undefined;
  for (let depth = 0; depth < DEEPEST && typeof error === "object" && error !== null; depth++) {
    yield error as Readonly<Record<string, unknown>>;
    const { cause, lastError } = error as { readonly cause?: unknown; readonly lastError?: unknown };
    error = cause ?? lastError;
  }
}

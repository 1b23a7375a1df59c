import type { CallOptions } from "@dt/core/internal";
import type { Call } from "./call.ts";
import type { Classifier, Ended, Rule, Verdict } from "./classify.ts";
import { checkClassifier } from "./default-classifier.ts";

/** The option of `run` and `wrap` that judges how calls ended. */
export interface Classified {
  /**
   * What the end of a call means: a classifier, or a single rule. It is the same for every call of a wrapped function.
   * @default the limiter's `classify`
   */
  readonly classify?: Rule | undefined;
}

/**
 * Makes a call that was admitted, and reports how it ended. Returns the same value, or throws the same error. A
 * classifier that throws counts the call as `ignored`.
 */
export async function runCall<Value>(
  settle: (verdict: Verdict) => void,
  classify: Classifier,
  make: () => Value,
): Promise<Awaited<Value>> {
  const end = (ended: Ended): void => {
    let verdict: Verdict = { outcome: "ignored" };
    try {
      verdict = classify(ended);
    } finally {
      settle(verdict);
    }
  };
  let value: Awaited<Value>;
  try {
    value = await make();
  } catch (error) {
    end({ error });
    throw error;
  }
  end({ value });
  return value;
}

/** How `run` and `wrap` make a call: its right is settled by how it ended. */
export function settling<Right extends Call>(
  classify: Classifier,
): (right: Right, call: (right: Right) => unknown, options: CallOptions) => unknown {
  return (right, call, options) =>
    runCall(
      ({ outcome, report }) => right.settle(outcome, report),
      classifierFor(options, classify),
      () => call(right),
    );
}

/** The classifier of one call. */
export function classifierFor(options: CallOptions, ofLimiter: Classifier): Classifier {
  const { classify } = options;
  return classify === undefined ? ofLimiter : checkClassifier(classify as Rule);
}

import type { Call } from "./call.ts";
import type { Classifier, Ended, Verdict } from "./classify.ts";

/**
 * Makes a call that was let through, and says how it ended; returns the same value, or throws the same error. A
 * classifier that throws counts the call as `ignored`.
 */
export async function runCall<Value>(
  call: Pick<Call, "settle">,
  classify: Classifier,
  make: () => Value,
  told?: (verdict: Verdict) => void,
): Promise<Awaited<Value>> {
  const end = (ended: Ended): void => {
    let verdict: Verdict = { outcome: "ignored" };
    try {
      verdict = classify(ended);
    } finally {
      call.settle(verdict.outcome, verdict.report);
    }
    told?.(verdict);
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

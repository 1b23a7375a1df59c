import type { BucketAnswer, BucketRequest } from "../contract/keyed-ledger.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { packageName } from "../errors/scope.ts";

/**
 * Refuses answers that the contract does not allow, before a call goes on by them: a ledger is somebody else's code.
 * @throws DtError `DT_STORE_REPLY`
 */
export function checkAnswers(answers: readonly (BucketAnswer | DtError)[], requests: readonly BucketRequest[]): void {
  const fault =
    Array.isArray(answers) && answers.length === requests.length
      ? answers.map(faultOf).find((found) => found !== undefined)
      : `${Array.isArray(answers) ? answers.length : String(answers)} answers to ${requests.length} requests`;
  if (fault === undefined) return;
  throw new DtError(
    "DT_STORE_REPLY",
    `the store answered a request of keyed limits with ${fault}; check the adapter with ${packageName("conformance")}`,
    { effect: "unknown" },
  );
}

const NUMBERS = [
  ...(["firstMs", "waitMs", "everyMs", "remaining", "resetMs", "inHand", "inFlight", "storeTimeMs"] as const),
  ...(["hits", "hitsResetMs"] as const),
];

function faultOf(answer: BucketAnswer | DtError): string | undefined {
  if (isDtError(answer)) return undefined;
  if (typeof answer !== "object" || answer === null) return `${String(answer)} instead of an answer`;
  for (const name of NUMBERS)
    if (!Number.isFinite(answer[name])) return `${name} ${String(answer[name])}, which is not a number`;
  const { granted, waitMs, lost } = answer;
  if (!Number.isSafeInteger(granted) || granted < 0) return `granted ${String(granted)}`;
  if (waitMs < 0) return "a wait that is past";
  return Array.isArray(lost) ? undefined : "no list of slots that are lost";
}

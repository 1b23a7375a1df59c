import { nodeOutcome, type Verdict } from "@dt/adaptive";
import type { Callee } from "./callee.ts";

/**
 * What it means that the body of an answer ended so. Errors that are none of the network's, such as a body that is no
 * JSON, came after it was read.
 */
export function bodyOutcome(verdict: Verdict, error: unknown): Verdict {
  if (error === undefined) return verdict;
  const known = nodeOutcome({ error });
  if (known === undefined) return verdict;
  return typeof known === "string" ? { outcome: known } : known;
}

/**
 * What it means that a request failed. One that its caller gave up says nothing, unless by a time that was up; nor does
 * one over which the classifier fails.
 */
export function failed(callee: Callee, error: unknown, signal: AbortSignal | undefined): Verdict {
  try {
    const verdict = callee.means({ error });
    return signal?.aborted && verdict.outcome === "failure" ? { outcome: "ignored" } : verdict;
  } catch {
    // The request has an error already, and that is the one to report.
    return { outcome: "ignored" };
  }
}

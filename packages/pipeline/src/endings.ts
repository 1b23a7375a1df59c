import { type Ended, httpStatusOf, unanswered, type Verdict } from "@dt/adaptive";
import { isDtError } from "@dt/core";
import type { Ending, Failed } from "./ending.ts";

/** A record of the source, and the how manyeth it is. */
export interface Numbered<Input> {
  readonly input: Input;
  readonly index: number;
}

/** True for the error of a call that an adaptive throttle of ours did not let out. */
export function isLocalRejection(error: unknown): boolean {
  return isDtError(error, "DT_LIMITED");
}

/** What a guard or a limit of ours within the call says of a call that it did not let out. */
const NOT_LET_OUT = ["DT_LIMITED", "DT_TIMEOUT", "DT_QUEUE_FULL"] as const;

/** True when the callee never saw the call, since it was too much for us. */
function isNotLetOut(error: unknown): boolean {
  return NOT_LET_OUT.some((code) => isDtError(error, code));
}

/**
 * How a record ended whose call ended so. What was returned counts as answered unless it is a response that says
 * otherwise, or the verdict does.
 */
export function endingOf<Input, Result>(
  { input, index }: Numbered<Input>,
  ended: Ended,
  { outcome }: Verdict,
): Ending<Input, Result> {
  const cause = "error" in ended ? ended.error : ended.value;
  if (isNotLetOut(cause)) return { kind: "throttled", by: "client", input, index, error: textOf(cause), cause };
  const status = httpStatusOf(ended);
  const refused = outcome === "overload" && !unanswered(ended);
  const bad = outcome === "overload" || outcome === "failure" || (status !== undefined && status >= 400);
  if (!("error" in ended) && !bad) return { kind: "success", input, index, output: ended.value as Result };
  const answered = status === undefined ? undefined : `Server returned HTTP response code: ${status}`;
  if (refused) return { kind: "throttled", by: "callee", input, index, error: answered ?? textOf(cause), cause };
  const error = "error" in ended ? textOf(cause) : (answered ?? `the call counts as ${outcome}`);
  return { kind: "error", input, index, error, cause };
}

/** The ending of a record that was never called, since something is wrong with it. */
export function failedWith<Input>({ input, index }: Numbered<Input>, cause: unknown): Failed<Input> {
  return { kind: "error", input, index, error: textOf(cause), cause };
}

/** Anything that was thrown, in words: people throw strings, and worse. */
export function textOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name;
    const { message } = (thrown ?? {}) as { readonly message?: unknown };
    return typeof message === "string" && message !== "" ? message : String(thrown);
  } catch {
    return "something was thrown that has no text";
  }
}

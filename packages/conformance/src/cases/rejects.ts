import type { CaseContext } from "../context.ts";

/** The call must answer a promise, which must settle; an exception is a failure. */
export async function rejects(context: CaseContext, call: () => Promise<unknown>): Promise<void> {
  let answer: Promise<unknown>;
  try {
    answer = call();
  } catch (error) {
    context.fail(`a call threw ${String(error)} instead of rejecting`);
  }
  context.that(typeof answer?.then === "function", "a call answered something that is not a promise");
  await context.settled("a call that must fail", answer);
}

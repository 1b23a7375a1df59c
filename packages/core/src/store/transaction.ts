import type { Answer, Call } from "./call.ts";

/** First in a transaction that writes: one that comes too late for its caller writes nothing. */
export function begin(call: Call): void {
  if (call.signal.aborted) throw call.signal.reason;
  call.sent = true;
}

/** What follows from an answer, as soon as it is there. */
export function afterwards<T, Result>(answer: Answer<T>, follow: (answer: T) => Result): Answer<Result> {
  return answer instanceof Promise ? answer.then(follow) : follow(answer);
}

import type { BucketAnswer, BucketRequest } from "../contract/keyed-ledger.ts";
import type { DtError } from "../errors/dt-error.ts";
import type { Operations } from "./backend.ts";
import type { Call } from "./call.ts";
import { isOwnRefusal } from "./own-refusal.ts";

/** Requests that are under way at once. */
const MOST_AT_ONCE = 64;

/**
 * `take` of a database that serves one request at a time: a loop over the requests of a call, some of them under way at
 * once. They begin in their order, so that `takeOne` has to keep the order of those to one bucket (K1).
 * @param takeOne serves a request
 * @param most how many are under way at once, at most. Default 64
 * @example const operations = { take: takeEach((request, call) => this.#take(request, call)) };
 */
export function takeEach(
  takeOne: (request: BucketRequest, call: Call) => Promise<BucketAnswer>,
  most: number = MOST_AT_ONCE,
): NonNullable<Operations["take"]> {
  return async (requests, call) => {
    const answers: (BucketAnswer | DtError)[] = [];
    const left = requests.entries();
    let isOver = false;
    // Each goes on with the next request of the same iterator.
    const serve = async (): Promise<void> => {
      for (const [place, request] of left) {
        if (isOver || call.signal.aborted) return;
        answers[place] = await answerOrOwnRefusal(takeOne(request, call));
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(most, requests.length) }, serve));
    } finally {
      isOver = true;
    }
    call.signal.throwIfAborted();
    return answers;
  };
}

async function answerOrOwnRefusal(answer: Promise<BucketAnswer>): Promise<BucketAnswer | DtError> {
  try {
    return await answer;
  } catch (error) {
    if (isOwnRefusal(error)) return error;
    throw error;
  }
}

import { type BucketAnswer, type BucketRequest, isDtError } from "@dt/core";
import type { BucketStore } from "../../buckets/bucket-store.ts";
import { bucketClients, newBucket } from "../../buckets/bucket-stores.ts";
import { PlainBucketTable } from "../../buckets/plain-bucket-table.ts";
import { printBucketAnswer } from "../../buckets/print-answer.ts";
import { followTake } from "../../buckets/specification.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { insist } from "../../permits/insist.ts";

/** Steps of the search for an order, after which there is no verdict: a sound history takes few for each request. */
const MOST_STEPS = 5_000;

/** K1: many clients at once. */
export const concurrency: readonly CaseDefinition[] = casesOf({ rule: "K1", needs: ["buckets"] }, [
  {
    name: "what many clients take, hold and report at the same time is what they would have got one after the other",
    why: "this is the promise that everything else is for",
    async run(context) {
      await contend(context, 6, 12);
    },
  },
  {
    name: "many clients that ask at the same time are given no more than is left together, also in calls with others",
    why: "calls at the same time that each check first let too many through",
    async run(context) {
      const bucket = await newBucket(context, { burst: 100 });
      const others = await Promise.all([1, 2, 3].map(() => newBucket(context)));
      const stores = await bucketClients(context, 4);
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, i) => {
          // In any order, as the clients of real keys have them.
          const requests = others.map((other) => other.request(1));
          requests.splice(i % 4, 0, bucket.request(7, { hits: { windowMs: context.ms(60_000), by: 1 } }));
          if (i % 2 === 1) requests.reverse();
          const at = requests.findIndex(({ hits }) => hits);
          return insist(context, () => (stores[i % stores.length] as BucketStore).take(requests)).then(
            (all) => all[at] as BucketAnswer,
          );
        }),
      );
      context.equal(answers.filter(({ granted }) => granted > 0).length, 14, "calls of 7 that 100 are enough for");
      const [last] = await (stores[0] as BucketStore).take([bucket.request(0)]);
      const { remaining, hits } = last as BucketAnswer;
      context.that(Math.floor(remaining) === 2, `${remaining} units are left after 14 calls of 7 of 100`);
      context.that(hits >= 32, `${hits} hits were counted of 32 that came at the same time`);
    },
  },
]);

interface Answered {
  readonly request: BucketRequest;
  readonly answer: BucketAnswer;
  /** Places in the order in which requests were sent, and answers came. */
  readonly sent: number;
  readonly came: number;
}

/** Random requests from many clients at once; then there must be an order of them that explains the answers. */
async function contend(context: CaseContext, workers: number, calls: number): Promise<void> {
  const bucket = await newBucket(context, { windowMs: context.ms(400), max: 8, burst: 12, concurrent: 3 });
  const stores = await bucketClients(context, 4);
  const answered: Answered[] = [];
  let [lost, moments] = [0, 0];
  const worker = async (number: number): Promise<void> => {
    let [spent, inHand] = [0, 0];
    for (let seq = 1; seq <= calls; seq++) {
      const { random } = context;
      const holds = random() < 0.7;
      spent += holds ? Math.floor(random() * (inHand + 1)) : 0;
      const id = `p${number}`;
      const request = bucket.request(1 + Math.floor(random() * 3), {
        ...(holds && bucket.hold(seq, { id, spent, forMs: context.ms(200), keep: Math.floor(random() * 4) })),
        ...(holds && { ahead: Math.floor(random() * 4), maxWaitMs: random() < 0.5 ? 0 : context.ms(100) }),
        ...(random() < 0.3 && { slot: { id: `${id}-${seq}`, forMs: context.ms(50) } }),
        ...(random() < 0.2 && { renew: [`${id}-${seq - 1}`], renewMs: context.ms(50) }),
        ...(random() < 0.2 && { release: [`${id}-${seq - 1}`] }),
        ...(random() < 0.3 && { hits: { windowMs: context.ms(100), by: 1 } }),
      });
      const sent = ++moments;
      const answer = await unlessLate((stores[number % stores.length] as BucketStore).take([request]));
      if (answer) answered.push({ request, answer: answer[0] as BucketAnswer, sent, came: ++moments });
      else lost += 1;
      if (holds && answer) inHand = (answer[0] as BucketAnswer).inHand;
      if (random() < 0.3) await context.sleep(random() * context.ms(15));
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, number) => worker(number)));
  context.that(lost <= (workers * calls) / 2, `${lost} of ${workers * calls} calls were not answered in time`);
  // What an unanswered call did is not known.
  if (lost > 0) return;
  const unexplained = firstUnexplained(answered);
  if (unexplained)
    context.fail(
      `no order of ${answered.length} requests at the same time explains this answer: ${printBucketAnswer(unexplained.answer)}`,
    );
}

/**
 * Searches an order in which each request comes after those that were answered before it was sent. A bucket's time
 * never goes back (K2), so only requests of one instant may change places. What was found to lead nowhere is not
 * searched again: the same requests in another order mostly leave the same bucket.
 * @returns the answer at which the longest order ends; undefined where one explains all, or the search gave up
 */
function firstUnexplained(answered: readonly Answered[]): Answered | undefined {
  let [steps, longest] = [0, 0];
  const failed = new Set<string>();
  const search = (table: PlainBucketTable, left: readonly Answered[]): boolean => {
    longest = Math.max(longest, answered.length - left.length);
    if (left.length === 0) return true;
    const state = JSON.stringify([left.map(({ sent }) => sent), table.bucket]);
    if (failed.has(state)) return false;
    const earliest = Math.min(...left.map(({ came }) => came));
    const nowMs = Math.min(...left.map(({ answer }) => answer.storeTimeMs));
    for (const one of left) {
      if (one.sent > earliest || one.answer.storeTimeMs > nowMs) continue;
      steps += 1;
      if (steps > MOST_STEPS) return true;
      const followed = followTake(table, one.request, one.answer);
      const rest = left.filter((other) => other !== one);
      if ("after" in followed && search(followed.after, rest)) return true;
    }
    failed.add(state);
    return false;
  };
  const inOrder = answered.toSorted((a, b) => a.came - b.came);
  return search(new PlainBucketTable(), inOrder) ? undefined : inOrder[longest];
}

/** Under contention a store that compares and swaps may be late: such a call took effect or not. */
async function unlessLate<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isDtError(error, "DT_STORE_TIMEOUT") || isDtError(error, "DT_STORE_UNAVAILABLE")) return undefined;
    throw error;
  }
}

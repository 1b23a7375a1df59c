import type { BucketAnswer } from "@dt/core";
import { bucketStore, newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { answersAgain, CUT_OFF, during, KILLED, type Outage, PAUSED, settles, settlesGivenUp } from "../outage.ts";

/** K11 on a server that is stopped, cut off or killed. */
export const outages: readonly CaseDefinition[] = casesOf({ rule: "K11" }, [
  {
    name: "while the server is paused take settles in time, and afterwards the bucket goes on",
    needs: ["buckets", "pause", "resume"],
    run: (context) => outage(context, PAUSED),
  },
  {
    name: "while the server is cut off take settles in time, and afterwards the bucket goes on",
    needs: ["buckets", "partition", "heal"],
    run: (context) => outage(context, CUT_OFF),
  },
  {
    name: "a killed server fails take in time, and when it is back with its data so is what was taken",
    needs: ["buckets", "kill", "restart"],
    run: (context) => outage(context, KILLED),
  },
]);

async function outage(context: CaseContext, way: Outage): Promise<void> {
  const { state } = way;
  const store = await bucketStore(context);
  const [bucket, other] = [await newBucket(context), await newBucket(context)];
  await bucket.take(3, bucket.hold(1));
  const lost = bucket.request(2, bucket.hold(2, { spent: 1 }));
  const effect = await during(context, way, async () => {
    const failure = await settles(context, `take while the server is ${state}`, store.take([lost]));
    context.that(
      failure !== undefined,
      `take succeeded while the server is ${state}: the target's fault has no effect`,
    );
    await settlesGivenUp(context, "a call of a bucket", (signal) => store.take([other.request(1)], signal));
    return failure?.effect;
  });
  await answersAgain(context, () => store.take([{ ...other.request(0), key: "probe" }]));
  const [after] = (await store.take([bucket.request(0)])) as readonly BucketAnswer[];
  const left = Math.floor(after?.remaining ?? -1);
  context.that(
    left === 7 || (left === 5 && effect === "unknown"),
    `${left} units are left after a call that failed with effect "${effect}": either 7 or 5 are`,
  );
  // Once more with its number: it is one request.
  for (let i = 0; i < 2; i++) {
    const [again] = (await store.take([lost])) as readonly BucketAnswer[];
    context.equal(again?.granted, 2, "granted to the repeat of the call whose answer was lost", "K7");
    context.equal(again?.inHand, 4, "units in hand after it was repeated", "K7");
  }
}

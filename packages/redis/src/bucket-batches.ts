import { type BucketAnswer, type BucketRequest, type DtError, isDtError } from "@dt/core";
import type { Call } from "@dt/core/store";
import { driverError, isCrossSlot } from "./errors.ts";
import { bucketKey, hashTagOf, limitKey } from "./keys.ts";
import { parseBucketAnswers } from "./reply/buckets.ts";
import { takeArguments } from "./script/bucket-arguments.ts";
import { scripts } from "./script/scripts.ts";
import type { Sender } from "./script/sender.ts";

/** A request, and its place among those of its call. */
interface Placed {
  readonly request: BucketRequest;
  readonly place: number;
  readonly key: string;
}

/** Requests to buckets: one command for all of a call, or one for each hash slot of a Redis Cluster. */
export class BucketBatches {
  readonly #sender: Sender;
  readonly #prefix: string;
  #bySlot: boolean;

  constructor(sender: Sender, prefix: string, isCluster: boolean) {
    this.#sender = sender;
    this.#prefix = prefix;
    this.#bySlot = isCluster;
  }

  async take(requests: readonly BucketRequest[], call: Call): Promise<readonly (BucketAnswer | DtError)[]> {
    const all = requests.map((request, place) => ({ request, place, key: bucketKey(this.#prefix, request) }));
    if (this.#bySlot) return this.#takeBySlot(all, call);
    try {
      return await this.#send(all, call);
    } catch (error) {
      if (!isCrossSlot(error)) throw error;
      // Nothing ran: a client of unknown kind is one of a Cluster.
      this.#bySlot = true;
      return this.#takeBySlot(all, call);
    }
  }

  /** A part that fails fails its own requests, so that a node that is away takes nothing from the others. */
  async #takeBySlot(all: readonly Placed[], call: Call): Promise<readonly (BucketAnswer | DtError)[]> {
    const parts = [...bySlot(all).values()];
    const answers = await Promise.allSettled(parts.map((part) => this.#send(part, call)));
    const first = answers[0];
    if (first?.status === "rejected" && answers.every(({ status }) => status === "rejected")) throw first.reason;
    const placed: (BucketAnswer | DtError)[] = [];
    for (const [index, part] of parts.entries()) {
      const of = answers[index] as PromiseSettledResult<readonly (BucketAnswer | DtError)[]>;
      for (const [i, { place }] of part.entries())
        placed[place] = of.status === "fulfilled" ? (of.value[i] as BucketAnswer) : errorOf(of.reason, call);
    }
    return placed;
  }

  async #send(batch: readonly Placed[], call: Call): Promise<(BucketAnswer | DtError)[]> {
    const keys = batch.map(({ key }) => key);
    const requests = batch.map(({ request }) => request);
    const records = requests.flatMap(({ stored, name, key }) =>
      stored ? [limitKey(this.#prefix, { kind: "keyed", name, key })] : [],
    );
    const request = { script: scripts.take, channel: "", args: takeArguments(requests) };
    const reply = await this.#sender.send({ ...request, keys: [...keys, ...records] }, call);
    return parseBucketAnswers(reply, requests, keys);
  }
}

function bySlot(all: readonly Placed[]): ReadonlyMap<string, readonly Placed[]> {
  const parts = new Map<string, Placed[]>();
  for (const placed of all) {
    const tag = hashTagOf(placed.key);
    const part = parts.get(tag);
    if (part) part.push(placed);
    else parts.set(tag, [placed]);
  }
  return parts;
}

function errorOf(error: unknown, call: Call): DtError {
  return isDtError(error) ? error : driverError(error, call);
}

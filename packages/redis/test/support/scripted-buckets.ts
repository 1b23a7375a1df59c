import type { BucketAnswer, BucketRef, BucketRequest, BucketSnapshot, DtError } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { TimedBuckets } from "@dt-tooling/simulator/bucket-operations";
import type { Redis } from "ioredis";
import { bucketKey, limitKey } from "../../src/keys.ts";
import { parseBucketAnswers, parseBucketSnapshot } from "../../src/reply/buckets.ts";
import { limitArguments } from "../../src/script/arguments.ts";
import { takeArguments } from "../../src/script/bucket-arguments.ts";
import { type Script, scriptsWithClock } from "../../src/script/scripts.ts";
import testClock from "./test-clock.lua";

const scripts = scriptsWithClock(testClock);

/** The arithmetic forgets no bucket, however slow the machine is: buckets are kept for a quarter of an hour. */
const take = scripts.take.text.replace("KEEP_MS, LONGEST_MS = 10000,", "KEEP_MS, LONGEST_MS = 900000,");

/** The scripts of buckets on a real server, at the time that the caller says. */
export class ScriptedBuckets implements TimedBuckets {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    if (take === scripts.take.text) throw new Error("take.lua says otherwise how long a bucket is kept");
    this.#redis = redis;
    this.#prefix = prefix;
  }

  async take(requests: readonly BucketRequest[], clockMs: number): Promise<readonly (BucketAnswer | DtError)[]> {
    const keys = requests.map((request) => bucketKey(this.#prefix, request));
    const records = requests.flatMap((request) => (request.stored ? [this.#recordKey(request)] : []));
    await this.#setClock(clockMs);
    const all = [...keys, ...records];
    const reply = await this.#redis.eval(take, all.length, ...all, "", ...takeArguments(requests));
    return parseBucketAnswers(reply, requests, keys);
  }

  async reset(bucket: BucketRef, clockMs: number): Promise<void> {
    await this.#run(scripts.resetBucket, bucket, clockMs);
  }

  async inspect(bucket: BucketRef, clockMs: number): Promise<BucketSnapshot | undefined> {
    const reply = await this.#run(scripts.inspectBucket, bucket, clockMs);
    return parseBucketSnapshot(reply, bucket, bucketKey(this.#prefix, bucket));
  }

  async setLimit(bucket: BucketRef, record: LimitRecordRow): Promise<void> {
    await this.#redis.eval(scripts.writeLimit.text, 1, this.#recordKey(bucket), "", ...limitArguments(null, record));
  }

  async #run(script: Script, bucket: BucketRef, clockMs: number): Promise<unknown> {
    await this.#setClock(clockMs);
    return this.#redis.eval(script.text, 1, bucketKey(this.#prefix, bucket), "");
  }

  #recordKey({ name, key }: BucketRef): string {
    return limitKey(this.#prefix, { kind: "keyed", name, key });
  }

  async #setClock(clockMs: number): Promise<void> {
    await this.#redis.set("{dt-test}:clock", String(clockMs));
  }
}

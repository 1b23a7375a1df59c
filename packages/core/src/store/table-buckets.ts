import type { BucketRef } from "../contract/bucket.ts";
import type { BucketAnswer, BucketRequest } from "../contract/keyed-ledger.ts";
import type { DtError } from "../errors/dt-error.ts";
import type { BucketTable } from "../keyed/bucket-table.ts";
import { takeUnits } from "../keyed/buckets.ts";
import { inspectBucket } from "../keyed/inspect-bucket.ts";
import { checkLimitHead } from "../limits/limit-codec.ts";
import type { LimitRecordHead } from "../limits/limit-row.ts";
import type { Backend } from "./backend.ts";
import { isOwnRefusal } from "./own-refusal.ts";
import type { LimitTable, TableDatabase } from "./table-database.ts";
import { begin } from "./transaction.ts";

type BucketOperations = Required<Pick<Backend, "take" | "resetBucket" | "inspectBucket">>;

/** The buckets of a database that runs JavaScript inside a transaction. All requests of a call are one transaction. */
export function tableBuckets<Transaction>(
  database: Pick<TableDatabase<Transaction>, "transaction" | "forgetBuckets">,
  bucketTable: (transaction: Transaction, bucket: BucketRef, nowMs: number) => BucketTable,
  limitTable: ((transaction: Transaction) => LimitTable) | undefined,
): BucketOperations {
  const limitOf = (transaction: Transaction, { name, key, stored }: BucketRequest): LimitRecordHead | undefined => {
    const record = stored ? limitTable?.(transaction).limit({ kind: "keyed", name, key }) : undefined;
    return record && checkLimitHead(record);
  };
  return {
    take: (requests, call) =>
      database.transaction(
        "write",
        (transaction, nowMs) => {
          begin(call);
          database.forgetBuckets?.(transaction, nowMs);
          return requests.map((request) =>
            answerOrRefusal(() =>
              takeUnits(bucketTable(transaction, request, nowMs), request, nowMs, limitOf(transaction, request)),
            ),
          );
        },
        call,
      ),
    resetBucket: (bucket, call) =>
      database.transaction(
        "write",
        (transaction, nowMs) => {
          begin(call);
          bucketTable(transaction, bucket, nowMs).forget();
        },
        call,
      ),
    inspectBucket: (bucket, call) =>
      database.transaction("read", (tx, nowMs) => inspectBucket(bucketTable(tx, bucket, nowMs), bucket, nowMs), call),
  };
}

/**
 * The answer to one request of several, or the error that is its own: nothing of its bucket was changed then.
 * @param serve serves the request
 * @throws what concerns all requests of the call
 * @example requests.map((request) => answerOrRefusal(() => takeUnits(tableOf(request), request, nowMs)));
 */
export function answerOrRefusal(serve: () => BucketAnswer): BucketAnswer | DtError {
  try {
    return serve();
  } catch (error) {
    if (isOwnRefusal(error)) return error;
    throw error;
  }
}

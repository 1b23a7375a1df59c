import { deepStrictEqual } from "node:assert/strict";
import {
  type BucketAnswer,
  type BucketRef,
  type BucketRequest,
  type BucketSnapshot,
  type DtError,
  isDtError,
} from "@dt/core";
import {
  bucketName,
  checkBucketRequests,
  inspectBucket,
  type LimitRecordRow,
  MemoryBucketTable,
  takeUnits,
} from "@dt/core/ledger";
import { EDGES } from "./edges.ts";
import { type BucketOperation, RandomOperations } from "./random-operations.ts";
import { type Reached, whatCame } from "./reached.ts";

/** A ledger of buckets whose clock the caller sets. */
export interface TimedBuckets {
  take(requests: readonly BucketRequest[], clockMs: number): Promise<readonly (BucketAnswer | DtError)[]>;
  reset(bucket: BucketRef, clockMs: number): Promise<void>;
  inspect(bucket: BucketRef, clockMs: number): Promise<BucketSnapshot | undefined>;
  /** For a store that keeps stored limits: writes the record of a key. */
  setLimit?(bucket: BucketRef, record: LimitRecordRow): Promise<void>;
}

export interface ComparisonOptions {
  readonly seed: number;
  readonly operations: number;
  /** Where the clock begins, in milliseconds. */
  readonly startMs: number;
  /** The limit's name. Default `"api"`. */
  readonly name?: string;
}

/**
 * Runs the same random operations on a ledger and on the arithmetic of `@dt/core`, at the same times, and compares
 * every answer to the last digit.
 * @throws AssertionError with the operation and both answers
 */
export async function compareBuckets(
  ledger: TimedBuckets,
  { seed, operations, startMs, name = "api" }: ComparisonOptions,
): Promise<ReadonlySet<Reached>> {
  const random = new RandomOperations(seed, startMs, name, ledger.setLimit !== undefined);
  const both = new Both(ledger, `seed ${seed}`);
  for (let i = 0; i < operations; i++) {
    const operation = random.next();
    const answers = await both.run(operation);
    if (operation.kind === "take") random.answered(operation.requests, answers);
  }
  return both.reached;
}

/**
 * Runs the short histories of {@link EDGES}, each on a limit of its own.
 * @throws AssertionError with the operation and both answers
 */
export async function compareEdges(ledger: TimedBuckets, startMs: number): Promise<void> {
  for (const [name, operations] of Object.entries(EDGES)) {
    const both = new Both(ledger, name);
    if (!ledger.setLimit && operations.some(({ kind }) => kind === "set")) continue;
    for (const operation of operations) await both.run(of(name, operation, startMs));
  }
}

/** An operation of an edge, at a real time and on the limit of its own. */
function of(name: string, operation: BucketOperation, startMs: number): BucketOperation {
  const clockMs = startMs + operation.clockMs;
  if (operation.kind === "take")
    return { ...operation, clockMs, requests: operation.requests.map((request) => ({ ...request, name })) };
  const bucket = { ...operation.bucket, name };
  if (operation.kind === "reset") return { ...operation, clockMs, bucket };
  const { untilMs } = operation.record;
  const record = { ...operation.record, untilMs: untilMs === null ? null : startMs + untilMs };
  return { ...operation, clockMs, bucket, record };
}

/** How much later a bucket is inspected than it was used. */
const LOOKS_MS = [0, 10, 0.5, 20_000, 1e11] as const;

/** A ledger and the reference. */
class Both {
  readonly reached = new Set<Reached>();
  readonly #ledger: TimedBuckets;
  readonly #name: string;
  readonly #tables = new Map<string, MemoryBucketTable>();
  readonly #records = new Map<string, LimitRecordRow>();
  #operations = 0;

  constructor(ledger: TimedBuckets, name: string) {
    this.#ledger = ledger;
    this.#name = name;
  }

  async run(operation: BucketOperation): Promise<readonly (BucketAnswer | DtError)[]> {
    const what = `${this.#name}, ${this.#operations++}: ${JSON.stringify(operation)}`;
    const answers = await this.#do(operation, what);
    // Now and then what a bucket holds: soon after, so that some of what counts has just come to its end, or much
    // later.
    if (this.#operations % 3 === 0)
      await this.#look(
        operation.kind === "take" ? (operation.requests[0] as BucketRequest) : operation.bucket,
        operation.clockMs + (LOOKS_MS[this.#operations % LOOKS_MS.length] as number),
        what,
      );
    return answers;
  }

  async #look(bucket: BucketRef, clockMs: number, what: string): Promise<void> {
    const mine = await this.#ledger.inspect(bucket, clockMs);
    const theirs = inspectBucket(this.#table(bucket), bucket, clockMs);
    same(mine, theirs, `what the bucket holds at ${clockMs} after ${what}`);
    this.reached.add(theirs ? "something left" : "nothing left");
  }

  async #do(operation: BucketOperation, what: string): Promise<readonly (BucketAnswer | DtError)[]> {
    const { clockMs } = operation;
    if (operation.kind === "reset") {
      this.reached.add("reset");
      await this.#ledger.reset(operation.bucket, clockMs);
      this.#table(operation.bucket).forget();
      return [];
    }
    if (operation.kind === "set") {
      await this.#ledger.setLimit?.(operation.bucket, operation.record);
      this.#records.set(bucketName(operation.bucket), operation.record);
      return [];
    }
    const { requests } = operation;
    checkBucketRequests(requests);
    const mine = await this.#ledger.take(requests, clockMs);
    const theirs = requests.map((request) => this.#take(request, clockMs));
    same(mine.map(refusalAsText), theirs.map(refusalAsText), what);
    if (new Set(requests.map(bucketName)).size < requests.length) this.reached.add("several of one bucket");
    return theirs;
  }

  #take(request: BucketRequest, clockMs: number): BucketAnswer | DtError {
    const table = this.#table(request);
    const before = table.row();
    try {
      const answer = takeUnits(table, request, clockMs, this.#records.get(bucketName(request)));
      for (const came of whatCame(request, answer, before, table.row())) this.reached.add(came);
      return answer;
    } catch (error) {
      if (!isDtError(error, "DT_PACE_MISMATCH")) throw error;
      this.reached.add("other limit");
      return error;
    }
  }

  #table(bucket: BucketRef): MemoryBucketTable {
    const name = bucketName(bucket);
    const table = this.#tables.get(name) ?? new MemoryBucketTable();
    this.#tables.set(name, table);
    return table;
  }
}

function same(mine: unknown, theirs: unknown, what: string): void {
  deepStrictEqual(mine, theirs, `${what}\n${JSON.stringify([mine, theirs])}`);
}

function refusalAsText(answer: BucketAnswer | DtError): BucketAnswer | string {
  return isDtError(answer) ? `${answer.code}: ${answer.message}` : (answer as BucketAnswer);
}

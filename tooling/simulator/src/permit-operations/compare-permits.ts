import { deepStrictEqual } from "node:assert/strict";
import {
  isDtError,
  MemoryStore,
  type PermitRelease,
  type PermitRequest,
  type PermitSnapshot,
  type Reservation,
  systemRuntime,
} from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { EDGES } from "./edges.ts";
import { type PermitOperation, RandomOperations } from "./random-operations.ts";

/** A permit ledger whose clock the caller sets. */
export interface TimedLedger {
  reserve(key: string, request: PermitRequest, clockMs: number): Promise<Reservation>;
  release(key: string, release: PermitRelease, clockMs: number): Promise<void>;
  reset(key: string, clockMs: number): Promise<void>;
  inspect(key: string, clockMs: number): Promise<PermitSnapshot | undefined>;
}

/** What operations came to. */
export type Reached = (typeof REACHABLE)[number];

/** Everything that a comparison should have come to: what was never reached was never compared. */
export const REACHABLE = [
  "one permit",
  "a block",
  "part of a block",
  "refused",
  "in the queue",
  "repeated",
  "an instant given back",
  "released",
  "other terms",
  "paused",
  "granted behind a pause",
  "reset",
  "nothing left",
] as const;

export interface ComparisonOptions {
  readonly seed: number;
  readonly operations: number;
  /** Where the clock begins, in milliseconds. */
  readonly startMs: number;
  /** Default `"k"`. */
  readonly key?: string;
}

/**
 * Runs the same random operations on a ledger and on the memory store, whose arithmetic is that of `@dt/core`, at the
 * same times, and compares every answer to the last digit.
 * @throws AssertionError with the operation and both answers
 */
export async function comparePermits(ledger: TimedLedger, options: ComparisonOptions): Promise<ReadonlySet<Reached>> {
  const { seed, operations, startMs, key = "k" } = options;
  const random = new RandomOperations(seed, startMs);
  const both = new Both(ledger, key, `seed ${seed}`);
  for (let i = 0; i < operations; i++) {
    const operation = random.next();
    const answer = await both.run(operation);
    if (answer && operation.kind === "reserve") random.answered(operation.request, answer);
  }
  return both.reached;
}

/**
 * Runs the short histories of {@link EDGES}, each on a key of its own.
 * @throws AssertionError with the operation and both answers
 */
export async function compareEdges(ledger: TimedLedger, startMs: number): Promise<void> {
  for (const [name, operations] of Object.entries(EDGES)) {
    const both = new Both(ledger, name, name);
    for (const operation of operations) await both.run({ ...operation, clockMs: startMs + operation.clockMs });
  }
}

/** How much later a key is inspected than it was used. */
const LOOKS_MS = [0, 10, 0.5, 20_000, 3.5] as const;

/** A ledger and the reference. */
class Both {
  readonly reached = new Set<Reached>();
  readonly #ledger: TimedLedger;
  readonly #key: string;
  readonly #name: string;
  readonly #reference: MemoryStore;
  readonly #given = new Map<string, number>();
  /** The last instant that each request was given. */
  readonly #lastOf = new Map<string, number>();
  #nowMs = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  #operations = 0;

  constructor(ledger: TimedLedger, key: string, name: string) {
    this.#ledger = ledger;
    this.#key = key;
    this.#name = name;
    this.#reference = new MemoryStore({ runtime: { ...systemRuntime, now: () => this.#nowMs } });
    void this.#reference.onPermitHint(key, () => this.reached.add("released"));
  }

  async run(operation: PermitOperation): Promise<Reservation | undefined> {
    const what = `${this.#name}, ${this.#operations++}: ${JSON.stringify(operation)}`;
    const answer = await this.#do(operation, what);
    // Now and then what the key holds: soon after, so that some of what counts has just come to its end, or much later.
    if (this.#operations % 3 === 0)
      await this.#look(operation.clockMs + (LOOKS_MS[this.#operations % LOOKS_MS.length] as number), what);
    // An instant that was given back counts until it is past.
    const back = operation.kind === "release" && this.#lastOf.get(operation.release.id);
    if (back) await this.#look(Math.max(back, operation.clockMs), what);
    return answer;
  }

  async #look(clockMs: number, what: string): Promise<void> {
    this.#nowMs = clockMs;
    const mine = await this.#ledger.inspect(this.#key, clockMs);
    const theirs = await this.#reference.inspectPermits(this.#key);
    deepStrictEqual(mine, theirs, `what the key holds at ${clockMs} after ${what}\n${JSON.stringify([mine, theirs])}`);
    if (theirs === undefined) this.reached.add("nothing left");
  }

  async #do(operation: PermitOperation, what: string): Promise<Reservation | undefined> {
    this.#nowMs = operation.clockMs;
    if (operation.kind === "release") {
      await this.#ledger.release(this.#key, operation.release, operation.clockMs);
      await this.#reference.release(this.#key, operation.release);
      return undefined;
    }
    if (operation.kind === "reset") {
      this.reached.add("reset");
      await this.#ledger.reset(this.#key, operation.clockMs);
      await this.#reference.resetPermits(this.#key);
      return undefined;
    }
    const { request } = operation;
    const [mine, theirs] = [
      await this.#ledger.reserve(this.#key, request, operation.clockMs).catch(mismatch),
      await this.#reference.reserve(this.#key, request).catch(mismatch),
    ];
    deepStrictEqual(mine, theirs, `${what}\n${JSON.stringify([mine, theirs])}`);
    if (typeof theirs === "string") {
      this.reached.add("other terms");
      return undefined;
    }
    if (theirs.pausedForMs) this.reached.add(theirs.granted > 0 ? "granted behind a pause" : "paused");
    for (const came of whatCame(request, theirs, this.#given, this.#lastMs)) this.reached.add(came);
    if (theirs.granted > 0) {
      this.#given.set(request.id, theirs.firstMs);
      this.#lastOf.set(request.id, instantOf(theirs, theirs.granted - 1));
      this.#lastMs = Math.max(this.#lastMs, theirs.firstMs);
    }
    return theirs;
  }
}

/** Terms that are refused are an answer too. */
function mismatch(error: unknown): string {
  if (isDtError(error, "DT_PACE_MISMATCH")) return error.message;
  throw error;
}

function whatCame(
  { id, count, queueMs }: PermitRequest,
  { granted, firstMs, storeTimeMs }: Reservation,
  given: ReadonlyMap<string, number>,
  lastMs: number,
): Reached[] {
  if (granted === 0) return queueMs > 0 ? ["refused", "in the queue"] : ["refused"];
  if (given.get(id) === firstMs) return ["repeated"];
  if (firstMs < lastMs && firstMs > storeTimeMs && count === 1) return ["an instant given back"];
  if (count === 1) return ["one permit"];
  return granted === count ? ["a block"] : ["part of a block"];
}

import { deepStrictEqual } from "node:assert/strict";
import { MemoryStore, type PermitRelease, type PermitRequest, type Reservation, systemRuntime } from "@dt/core";
import { type PermitOperation, RandomOperations } from "./random-operations.ts";

/** A permit ledger whose clock the caller sets. */
export interface TimedLedger {
  reserve(key: string, request: PermitRequest, clockMs: number): Promise<Reservation>;
  release(key: string, release: PermitRelease, clockMs: number): Promise<void>;
}

/** What operations came to. */
export type Reached = (typeof REACHABLE)[number];

/** Everything that a comparison should have come to: what was never reached was never compared. */
export const REACHABLE = [
  "one permit",
  "a block",
  "part of a block",
  "refused",
  "in line",
  "repeated",
  "an instant given back",
  "released",
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
 * Runs the same random operations on a ledger and on the memory store, whose arithmetic is that of `@dt/core`, at the same times, and compares every answer to the
 * last digit.
 * @throws AssertionError with the operation and both answers
 */
export async function comparePermits(ledger: TimedLedger, options: ComparisonOptions): Promise<ReadonlySet<Reached>> {
  const { seed, operations, startMs, key = "k" } = options;
  const random = new RandomOperations(seed, startMs);
  let nowMs = startMs;
  const reference = new MemoryStore({ runtime: { ...systemRuntime, now: () => nowMs } });
  const reached = new Set<Reached>();
  const freed = await watchFreed(reference, key);
  const given = new Map<string, number>();
  let lastMs = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < operations; i++) {
    const operation = random.next();
    nowMs = operation.clockMs;
    if (operation.kind === "release") {
      await ledger.release(key, operation.release, nowMs);
      await reference.release(key, operation.release);
      if (freed()) reached.add("released");
      continue;
    }
    const { request } = operation;
    const [mine, theirs] = [await ledger.reserve(key, request, nowMs), await reference.reserve(key, request)];
    deepStrictEqual(mine, theirs, `seed ${seed}, ${i}: ${describe(operation)}\n${JSON.stringify([mine, theirs])}`);
    random.answered(request, theirs);
    for (const what of whatCame(request, theirs, given, lastMs)) reached.add(what);
    if (theirs.granted > 0) given.set(request.id, theirs.firstMs);
    lastMs = Math.max(lastMs, theirs.granted > 0 ? theirs.firstMs : lastMs);
  }
  await reference.close();
  return reached;
}

function whatCame(
  { id, count, queueMs }: PermitRequest,
  { granted, firstMs, storeTimeMs }: Reservation,
  given: ReadonlyMap<string, number>,
  lastMs: number,
): Reached[] {
  if (granted === 0) return queueMs > 0 ? ["refused", "in line"] : ["refused"];
  if (given.get(id) === firstMs) return ["repeated"];
  if (firstMs < lastMs && firstMs > storeTimeMs && count === 1) return ["an instant given back"];
  if (count === 1) return ["one permit"];
  return granted === count ? ["a block"] : ["part of a block"];
}

/** Says, and forgets, whether the reference told of an instant given back. */
async function watchFreed(reference: MemoryStore, key: string): Promise<() => boolean> {
  let freed = false;
  await reference.watchPermits(key, () => {
    freed = true;
  });
  return () => {
    const was = freed;
    freed = false;
    return was;
  };
}

function describe(operation: PermitOperation): string {
  return JSON.stringify(operation);
}

import { Random } from "@dt-tooling/simulator/random";

/** A kind of fault, as far as planning goes. */
export interface FaultKind {
  readonly kind: string;
  /** What is out of order meanwhile: nothing can have two faults at once. */
  readonly on: "worker" | "link" | "server" | "fleet";
  readonly shortestMs: number;
  readonly longestMs: number;
  /** Comes in the shortest run, too. */
  readonly essential?: boolean;
  /** Only this worker can have it. */
  readonly worker?: number;
}

/** A fault of a schedule; times from its start, in milliseconds. */
export interface PlannedFault {
  readonly kind: string;
  readonly on: FaultKind["on"];
  readonly atMs: number;
  readonly durationMs: number;
  /** The worker it is for; 0 for none. */
  readonly worker: number;
  /** In [0, 1): for whatever the fault leaves open. */
  readonly choice: number;
}

/** Between the mending of a fault and the next one on the same thing. */
const BREATH_MS = 300;
const LONGEST_GAP_MS = 2_000;
/** Every other fault begins while the one before is still there: most of what can go wrong takes two. */
const OVERLAP = 0.5;

/** What is out of order during a fault. */
export function thingOf({ on, worker }: Pick<PlannedFault, "on" | "worker">): string {
  return `${on} ${worker}`;
}

/**
 * A schedule of faults for so long, all of it decided by the seed. The essential kinds come first, then all kinds, in
 * decks: each comes as often as any other. All are mended before the end.
 */
export function planFaults(
  kinds: readonly FaultKind[],
  workers: number,
  totalMs: number,
  seed: number,
): PlannedFault[] {
  const random = new Random(seed);
  const plan: PlannedFault[] = [];
  const freeAtMs = new Map<string, number>();
  const longestMs = totalMs / 6;
  let deck = random.shuffled(kinds.filter(({ essential }) => essential));
  let cursorMs = 0;
  for (;;) {
    const next = deck.pop();
    if (next === undefined) {
      deck = random.shuffled(kinds);
      continue;
    }
    const worker = next.on === "worker" || next.on === "link" ? (next.worker ?? random.integer(1, workers)) : 0;
    const thing = thingOf({ on: next.on, worker });
    const atMs = Math.max(cursorMs, freeAtMs.get(thing) ?? 0);
    const durationMs = Math.min(random.between(next.shortestMs, next.longestMs), longestMs);
    if (atMs + durationMs > totalMs) return plan;
    const whole = (ms: number): number => Math.round(ms);
    const { kind, on } = next;
    plan.push({ kind, on, atMs: whole(atMs), durationMs: whole(durationMs), worker, choice: random.next() });
    freeAtMs.set(thing, atMs + durationMs + BREATH_MS);
    const gapMs = random.between(BREATH_MS, Math.min(LONGEST_GAP_MS, totalMs / 15));
    const overlaps = random.next() < OVERLAP;
    cursorMs = overlaps ? atMs + durationMs * random.between(0.2, 0.9) : Math.max(cursorMs, atMs + durationMs) + gapMs;
  }
}

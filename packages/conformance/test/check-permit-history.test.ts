import { checkPermitHistory, type PermitOperation, type ReserveOperation } from "@dt/conformance";
import { describe, expect, it } from "vitest";
import { soundHistory } from "./support/permit-history.ts";

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);
const busy = { operations: 60, clients: 6 };

type Answered = ReserveOperation & { readonly answer: NonNullable<ReserveOperation["answer"]> };

function isGranted(operation: PermitOperation | undefined): operation is Answered {
  return operation?.call === "reserve" && (operation.answer?.granted ?? 0) > 0;
}

/** The history with the answer of one operation changed. */
function forged(
  history: readonly PermitOperation[],
  index: number,
  change: Partial<Answered["answer"]>,
): PermitOperation[] {
  return history.map((operation, i) =>
    i === index && operation.call === "reserve" && operation.answer
      ? { ...operation, answer: { ...operation.answer, ...change } }
      : operation,
  );
}

/** Indexes of reservations answered with permits that no call repeats. */
function granted(history: readonly PermitOperation[]): number[] {
  const times = new Map<string, number>();
  for (const operation of history)
    if (operation.call === "reserve") times.set(operation.request.id, (times.get(operation.request.id) ?? 0) + 1);
  return history.flatMap((operation, i) => (isGranted(operation) && times.get(operation.request.id) === 1 ? [i] : []));
}

const verdictOf = (history: readonly PermitOperation[]): string => checkPermitHistory(history).verdict;

describe("a genuine history", () => {
  it("is explained, whatever overlaps", () => {
    for (const seed of SEEDS) expect(verdictOf(soundHistory({ ...busy, seed })), `seed ${seed}`).toBe("linearizable");
  });

  it("is explained with costs, bursts and a line", () => {
    for (const seed of SEEDS) {
      const request = { burst: 3, cost: 1.5, maxReserved: 4, queueMs: 40 };
      expect(verdictOf(soundHistory({ ...busy, seed, request })), `seed ${seed}`).toBe("linearizable");
    }
  });

  it("is explained when answers were lost, whether or not the calls took effect", () => {
    let unanswered = 0;
    for (const seed of SEEDS.slice(1, 20)) {
      const history = soundHistory({ ...busy, seed, lost: 0.08 });
      unanswered += history.filter(({ endMs }) => endMs === undefined).length;
      expect(verdictOf(history), `seed ${seed}`).toBe("linearizable");
      const never: PermitOperation = { call: "release", startMs: 1_000_000, release: { id: "r1", keep: 0 } };
      expect(verdictOf([never, ...history]), `seed ${seed}, with one that never arrived`).toBe("linearizable");
    }
    expect(unanswered).toBeGreaterThan(40);
  });

  it("is explained with pauses, also when their answers were lost, and not when a pause is told too short", () => {
    let paused = 0;
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed, pauses: 0.1, lost: seed % 2 === 0 ? 0.15 : 0 });
      expect(verdictOf(history), `seed ${seed}`).toBe("linearizable");
      const told = history.findIndex((operation) => operation.call === "reserve" && operation.answer?.pausedForMs);
      if (told < 0) continue;
      paused += 1;
      expect(verdictOf(forged(history, told, { pausedForMs: 0.5 })), `seed ${seed}, forged`).toBe("not linearizable");
    }
    expect(paused).toBeGreaterThan(30);
  });

  it("gives an order in which nobody comes before one that had ended when it started", () => {
    const history = soundHistory({ ...busy, seed: 1 });
    const result = checkPermitHistory(history);
    const order = result.verdict === "linearizable" ? result.order : [];
    expect(order).toHaveLength(history.length);
    for (const [place, index] of order.entries())
      for (const later of order.slice(place + 1))
        expect(history[later]?.endMs ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(
          history[index]?.startMs as number,
        );
  });
});

describe("a forged history is caught", () => {
  it("when two answers are swapped", () => {
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed });
      const [a, b] = granted(history).slice(3, 5) as [number, number];
      const [first, second] = [history[a] as Answered, history[b] as Answered];
      const swapped = forged(forged(history, a, second.answer), b, first.answer);
      // Of two calls that overlap, with the same request, either may have been first: then it is no forgery.
      const overlap = first.startMs <= (second.endMs as number) && second.startMs <= (first.endMs as number);
      if (overlap || first.request.count !== second.request.count) continue;
      expect(verdictOf(swapped), `seed ${seed}`).toBe("not linearizable");
    }
  });

  it("when one instant is given twice", () => {
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed });
      const released = new Set(history.map((operation) => operation.call === "release" && operation.release.id));
      const kept = granted(history).filter((i) => !released.has((history[i] as Answered).request.id));
      const [a, b] = kept.slice(-2) as [number, number];
      const { firstMs, earliestMs, stepMs } = (history[a] as Answered).answer;
      expect(verdictOf(forged(history, b, { firstMs, earliestMs, stepMs })), `seed ${seed}`).toBe("not linearizable");
    }
  });

  it("when a permit comes too early, by a tenth of a millisecond", () => {
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed });
      const late = granted(history).find((i) => {
        const { firstMs, earliestMs, storeTimeMs } = (history[i] as Answered).answer;
        return Math.max(firstMs, earliestMs) > storeTimeMs + 1;
      }) as number;
      const { firstMs } = (history[late] as Answered).answer;
      expect(verdictOf(forged(history, late, { firstMs: firstMs - 0.1 })), `seed ${seed}`).toBe("not linearizable");
    }
  });

  it("when an instant comes from nowhere", () => {
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed });
      const index = granted(history).at(-1) as number;
      const { firstMs, earliestMs } = (history[index] as Answered).answer;
      const nowhere = Math.max(firstMs, earliestMs) + 1_234;
      expect(verdictOf(forged(history, index, { firstMs: nowhere })), `seed ${seed}`).toBe("not linearizable");
    }
  });

  it("when a release is answered and never done", () => {
    let caught = 0;
    for (const seed of SEEDS)
      if (verdictOf(soundHistory({ ...busy, seed, forgetReleases: true })) === "not linearizable") caught += 1;
    // Where what was given back had passed already, or nobody came after it, nothing shows.
    expect(caught).toBeGreaterThan(SEEDS.length * 0.8);
  });

  it("when a request is refused although a permit is free, or granted beyond the bound", () => {
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed, request: { maxReserved: 2 } });
      const given = granted(history)[4] as number;
      const refusal = { granted: 0, firstMs: 0, earliestMs: 0, stepMs: 0, retryAfterMs: 10 };
      expect(verdictOf(forged(history, given, refusal)), `seed ${seed}`).toBe("not linearizable");
      const refused = history.findIndex(
        (operation) =>
          operation.call === "reserve" && operation.answer?.granted === 0 && operation.answer.retryAfterMs > 0,
      );
      const { storeTimeMs } = (history[refused] as Answered).answer;
      const grant = { granted: 1, firstMs: storeTimeMs + 25, earliestMs: storeTimeMs, stepMs: 10, retryAfterMs: 0 };
      expect(verdictOf(forged(history, refused, grant)), `seed ${seed}`).toBe("not linearizable");
    }
  });

  it("when an answer's time is from before one that had ended when it was asked", () => {
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed });
      const index = granted(history).at(-1) as number;
      const { storeTimeMs } = (history[index] as Answered).answer;
      expect(verdictOf(forged(history, index, { storeTimeMs: storeTimeMs - 200 })), `seed ${seed}`).toBe(
        "not linearizable",
      );
    }
  });

  it("when a repeat is answered anything else than the first", () => {
    let forgeries = 0;
    for (const seed of SEEDS) {
      const history = soundHistory({ ...busy, seed });
      const index = history.findIndex(
        (operation, i) =>
          isGranted(operation) &&
          history.slice(0, i).some((other) => isGranted(other) && other.request.id === operation.request.id),
      );
      if (index < 0) continue;
      forgeries += 1;
      const { firstMs } = (history[index] as Answered).answer;
      expect(verdictOf(forged(history, index, { firstMs: firstMs + 10, earliestMs: 0 })), `seed ${seed}`).toBe(
        "not linearizable",
      );
    }
    expect(forgeries).toBeGreaterThan(SEEDS.length / 2);
  });
});

it("the explanation names the call, what it was answered and what it should have been", () => {
  const history = soundHistory({ ...busy, seed: 3 });
  const index = granted(history).at(-1) as number;
  const { firstMs, earliestMs } = (history[index] as Answered).answer;
  const result = checkPermitHistory(forged(history, index, { firstMs: Math.max(firstMs, earliestMs) + 77 }));
  expect(result).toMatchObject({ verdict: "not linearizable" });
  const text = result.verdict === "not linearizable" ? result.explanation : "";
  expect(text).toContain(`reserve "${(history[index] as Answered).request.id}"`);
  expect(text).toMatch(/should be: granted \d.*\n +was: +granted \d/);
});

it("says when it gave up", () => {
  expect(checkPermitHistory(soundHistory({ ...busy, seed: 1 }), { maxSteps: 10 })).toEqual({
    verdict: "undecided",
    steps: 10,
  });
});

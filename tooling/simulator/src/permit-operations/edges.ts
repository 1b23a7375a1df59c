import type { PermitRequest } from "@dt/core";
import type { PermitOperation } from "./random-operations.ts";

const EVERY_MS = 10;

function at(clockMs: number, id: string, changes: Partial<PermitRequest> = {}): PermitOperation {
  const request = {
    id,
    count: 1,
    cost: 1,
    everyMs: EVERY_MS,
    burst: 1,
    maxReserved: 2,
    keepMs: 1_000,
    queueMs: 0,
    ...changes,
  };
  return { kind: "reserve", clockMs, request };
}

function giveBack(clockMs: number, id: string, keep = 0): PermitOperation {
  return { kind: "release", clockMs, release: { id, keep } };
}

/** Short histories for what chance seldom comes to, with times from 0 on. */
export const EDGES: Readonly<Record<string, readonly PermitOperation[]>> = {
  "who takes an instant given back leaves the queue": [
    ...["a", "b", "c"].map((id) => at(0, id)),
    ...["d", "e"].map((id) => at(0, id, { queueMs: 500 })),
    giveBack(1, "b"),
    at(2, "d", { queueMs: 500 }),
    at(2, "e", { queueMs: 500 }),
    at(2, "f"),
  ],
  "an instant can be given back until it comes": [
    ...["a", "b", "c"].map((id) => at(0, id)),
    giveBack(10, "b"),
    at(10, "d"),
    giveBack(19.999, "c"),
    at(19.999, "e"),
  ],
  "an instant given back is there until it is past": [
    ...["a", "b", "c"].map((id) => at(0, id, { maxReserved: 9 })),
    giveBack(1, "b"),
    at(10, "d", { maxReserved: 9 }),
    at(10, "e", { maxReserved: 9 }),
    giveBack(10, "c"),
    at(20.001, "f", { maxReserved: 9 }),
    at(20.001, "g", { maxReserved: 9 }),
  ],
  "a reservation that is forgotten gives nothing back": [
    at(0, "a", { cost: 2, keepMs: 0 }),
    at(1, "b", { maxReserved: 0 }),
    giveBack(2, "a"),
    at(3, "c", { maxReserved: 0 }),
  ],
  "a reservation without a life of its own can be given back until the next request": [
    at(0, "a", { cost: 2, keepMs: 0 }),
    giveBack(2, "a"),
    at(3, "c", { maxReserved: 0 }),
  ],
  "the rest of an instant that was larger is given to the next": [
    at(0, "a", { maxReserved: 9 }),
    at(0, "b", { cost: 3, maxReserved: 9 }),
    at(0, "c", { maxReserved: 9 }),
    giveBack(1, "b"),
    at(2, "d", { cost: 2, maxReserved: 9 }),
    at(2, "e", { cost: 1, maxReserved: 9 }),
    at(2, "f", { cost: 1, maxReserved: 9 }),
  ],
  "a place in the queue that is over is lost only once somebody behind it has come": [
    at(0, "a", { maxReserved: 0 }),
    ...["b", "c", "d"].map((id) => at(0, id, { maxReserved: 0, queueMs: 1 })),
    at(5, "b", { maxReserved: 0, queueMs: 500 }),
    at(60, "c", { maxReserved: 0, queueMs: 500 }),
    at(60, "b", { maxReserved: 0, queueMs: 500 }),
    at(60, "d", { maxReserved: 0, queueMs: 500 }),
    at(70, "e", { maxReserved: 0, queueMs: 500 }),
    at(71, "d", { maxReserved: 0, queueMs: 500 }),
  ],
  "who is before it does not take a place that is over away": [
    at(0, "a", { maxReserved: 0 }),
    at(0, "b", { maxReserved: 0, queueMs: 500 }),
    ...["c", "d"].map((id) => at(0, id, { maxReserved: 0, queueMs: 1 })),
    at(0, "e", { maxReserved: 0, queueMs: 500 }),
    at(60, "b", { maxReserved: 0, queueMs: 500 }),
    at(61, "d", { maxReserved: 0, queueMs: 500 }),
    at(62, "e", { maxReserved: 0, queueMs: 500 }),
  ],
  "who says its terms with a request of next to no cost takes no time from others, and no place": [
    at(0, "a", { cost: 1e-9, maxReserved: 0, keepMs: 0, terms: "x" }),
    at(0, "b", { maxReserved: 0, terms: "x" }),
    at(1, "c", { cost: 1e-9, maxReserved: 0, keepMs: 0, terms: "x" }),
    at(10, "d", { cost: 1e-9, maxReserved: 0, keepMs: 0, terms: "x" }),
    at(10, "e", { maxReserved: 0, terms: "x" }),
    at(20, "f", { burst: 5, cost: 1e-9, maxReserved: 0, keepMs: 0, terms: "x" }),
    ...["g", "h", "i", "j", "k"].map((id) => at(20, id, { burst: 5, maxReserved: 0, terms: "x" })),
  ],
  "an instant at the end of a pause is given back and given again, and none before it": [
    ...["a", "b", "c", "d"].map((id) => at(0, id, { maxReserved: 9 })),
    at(0, "p", { cost: 1e-9, maxReserved: 0, keepMs: 0, pauseMs: 20 }),
    ...["b", "c"].map((id) => giveBack(1, id)),
    ...["e", "f"].map((id) => at(2, id, { maxReserved: 9 })),
  ],
  "what was given back before a pause is taken at its end and not before": [
    ...["a", "b", "c", "d"].map((id) => at(0, id, { maxReserved: 9 })),
    ...["b", "c"].map((id) => giveBack(1, id)),
    ...["e", "f"].map((id) => at(2, id, { maxReserved: 9, pauseMs: 18 })),
  ],
  "a pause leaves no burst, also when all that lay behind it is given back": [
    at(0, "a", { count: 8, burst: 5, maxReserved: 9 }),
    at(0, "p", { burst: 5, maxReserved: 0, pauseMs: 20 }),
    giveBack(1, "a"),
    ...["b", "c", "d"].map((id) => at(30, id, { burst: 5, maxReserved: 0 })),
  ],
  "a repeat pauses, and one that is refused for its terms does not": [
    at(0, "a", { terms: "x" }),
    at(1, "a", { terms: "x", pauseMs: 50 }),
    at(2, "b", { terms: "y", pauseMs: 500 }),
    at(3, "c", { terms: "x", maxReserved: 9 }),
    { kind: "reset", clockMs: 4 },
    at(5, "d", { maxReserved: 0 }),
  ],
  "the last of a burst comes at once, though the sum of the intervals is rounded up": [6, 12].flatMap((rate) =>
    Array.from({ length: 11 }, (_, i) =>
      at(rate * 1_000, `${rate} ${i}`, { everyMs: 1_000 / rate, burst: 10, maxReserved: 0 }),
    ),
  ),
};

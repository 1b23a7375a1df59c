import { describe, expect, it } from "vitest";
import { EventHeap } from "../../src/callee/event-heap.ts";
import { Random } from "../../src/random.ts";

describe("the events of the world", () => {
  it("come out in order of time, and of adding within one instant", () => {
    const random = new Random(1);
    const heap = new EventHeap();
    const waiting: { atMs: number; ref: number }[] = [];
    let ref = 0;
    for (let step = 0; step < 5_000; step++) {
      if (waiting.length === 0 || random.chance(0.55)) {
        const atMs = random.integer(0, 50);
        heap.add(atMs, step % 7, ref, 7 * ref);
        waiting.push({ atMs, ref });
        ref += 1;
        continue;
      }
      const next = waiting.reduce((first, one) => (one.atMs < first.atMs ? one : first));
      expect(heap.nextMs).toBe(next.atMs);
      heap.pop();
      expect([heap.ref, heap.version]).toEqual([next.ref, 7 * next.ref]);
      waiting.splice(waiting.indexOf(next), 1);
    }
  });

  it("are over when none is left", () => {
    expect(new EventHeap().nextMs).toBe(Number.POSITIVE_INFINITY);
  });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { NOTHING, Progress } from "../../src/checkpoint/progress.ts";

const at = (records: number) => ({ records, bytes: records * 10 });

it("a run goes on behind the last record before which all have ended, and passes over what ended behind it", () => {
  const first = new Progress(NOTHING);
  for (let record = 1; record <= 5; record++) first.read(at(record));
  for (const index of [0, 2, 4]) first.ended(index);
  const done = first.done();
  expect(done).toEqual({ position: at(1), first: 1, next: 5, pending: [1, 3] });

  const second = new Progress(done);
  expect([2, 3, 4, 5, 6, 7].map((record) => second.read(at(record)))).toEqual([true, false, true, false, true, true]);
});

it("a slow record costs no memory however many end behind it", () => {
  const progress = new Progress(NOTHING);
  for (let record = 1; record <= 10_000; record++) {
    progress.read(at(record));
    if (record > 1) progress.ended(record - 1);
  }
  expect(progress.done()).toEqual({ position: at(0), first: 0, next: 10_000, pending: [0] });
});

it("says of an ending that it knows of no such record under way", () => {
  const progress = new Progress(NOTHING);
  progress.read(at(1));
  expect([progress.ended(1), progress.ended(0), progress.ended(0)]).toEqual([false, true, false]);
});

it("however many runs are cut off wherever, each record is done, and only what was not saved is done twice", () => {
  const run = fc.record({ reads: fc.nat(12), ends: fc.array(fc.nat(11), { maxLength: 12 }) });
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
      const records = 40;
      const savedAsEnded = new Set<number>();
      let done = NOTHING;
      const go = (reads: number, ends: readonly number[] | "all"): void => {
        const progress = new Progress(done);
        const handedOut: number[] = [];
        for (let record = done.position.records; record < Math.min(records, done.position.records + reads); record++)
          if (progress.read(at(record + 1))) handedOut.push(record);
        expect(handedOut.filter((record) => savedAsEnded.has(record))).toEqual([]);
        for (const index of ends === "all" ? handedOut.keys() : ends) {
          const record = handedOut[index];
          if (record !== undefined && progress.ended(index)) savedAsEnded.add(record);
        }
        done = progress.done();
      };
      for (const { reads, ends } of runs) go(reads, ends);
      go(records, "all");
      expect(savedAsEnded.size).toBe(records);
      expect(done).toEqual({ position: at(records), first: records, next: records, pending: [] });
    }),
  );
});

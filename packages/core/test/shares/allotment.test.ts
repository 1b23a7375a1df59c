import { describe, expect, it } from "vitest";
import { Allotment, heldShare, splitShare } from "../../src/shares/allotment.ts";
import { VirtualRuntime } from "../../src/testing/virtual-runtime.ts";

describe("an allotment released at the epoch's start", () => {
  it("grants the share and no more", () => {
    const allotment = new Allotment("epoch");
    allotment.setShare(heldShare(5, 0, 1), 0, 1_000, 0);
    expect([allotment.take(3, 0), allotment.take(3, 1), allotment.take(3, 2)]).toEqual([3, 2, 0]);
    expect(allotment.nextAt(3)).toBe(Number.POSITIVE_INFINITY);
  });

  it("grants again what was taken back", () => {
    const allotment = new Allotment("epoch");
    allotment.setShare(heldShare(5, 0, 1), 0, 1_000, 0);
    allotment.take(5, 0);
    allotment.takeBack(3);
    expect([allotment.used, allotment.take(9, 1), allotment.used]).toEqual([2, 3, 5]);
  });

  it("grants nothing again of what was given up, however much comes back", () => {
    const allotment = new Allotment("epoch");
    allotment.setShare(heldShare(5, 0, 1), 0, 1_000, 0);
    allotment.take(5, 0);
    allotment.discharge(3);
    allotment.setShare(heldShare(2, 0, 1), 0, 1_000, 0);
    expect([allotment.charged, allotment.used, allotment.available(1)]).toEqual([2, 5, 0]);
    expect([allotment.takeBack(4), allotment.used, allotment.available(1)]).toEqual([2, 1, 2]);
    allotment.setShare(heldShare(0, 0, 1), 0, 1_000, 0);
    expect([allotment.takeBack(1), allotment.used, allotment.available(1)]).toEqual([0, 0, 0]);
  });

  it("gives up no more than still counts, when some of it came back after it was reported as used", () => {
    const allotment = new Allotment("epoch");
    allotment.setShare(heldShare(10, 0, 1), 0, 1_000, 0);
    allotment.take(10, 0);
    // The report says that 10 were used and that 4 are kept; 9 come back before it is answered.
    allotment.setShare(heldShare(4, 0, 1), 0, 1_000, 0);
    expect(allotment.takeBack(9)).toBe(9);
    allotment.discharge(6);
    expect([allotment.charged, allotment.used, allotment.available(1)]).toEqual([0, 1, 4]);
    expect([allotment.take(9, 1), allotment.charged, allotment.takeBack(9)]).toEqual([4, 4, 4]);
  });

  it("grants nothing while more was granted than a lowered share allows", () => {
    const allotment = new Allotment("epoch");
    allotment.setShare(heldShare(10, 0, 1), 0, 1_000, 0);
    allotment.take(7, 0);
    allotment.setShare(heldShare(4, 0, 1), 0, 1_000, 0);
    expect(allotment.available(1)).toBe(0);
    allotment.begin();
    expect(allotment.available(1)).toBe(4);
  });
});

describe("an allotment released evenly", () => {
  it("releases each token at its own instant, k / level of the interval", () => {
    const allotment = new Allotment("even");
    allotment.setShare(splitShare(10, 0, 0, 2, 1), 5_000, 1_000, 5_000);
    const instants: number[] = [];
    for (let at = allotment.nextAt(4_999); at !== Number.POSITIVE_INFINITY; at = allotment.nextAt(at)) {
      expect(allotment.take(9, at - 0.001)).toBe(0);
      expect(allotment.take(9, at)).toBe(1);
      instants.push(at);
    }
    expect(instants).toEqual([5_000, 5_200, 5_400, 5_600, 5_800]);
  });

  it("names a later instant for the next token, wherever rounding puts it, so that waiting ends", () => {
    const random = new VirtualRuntime({ seed: 7 });
    const below = (limit: number): number => Math.floor(random.random() * limit);
    for (let i = 0; i < 300; i++) {
      const allotment = new Allotment("even");
      const startMs = random.random() * 1e9;
      const memberCount = 1 + below(20);
      const tokens = memberCount + below(500);
      allotment.setShare(splitShare(tokens, below(memberCount), below(1_000), memberCount, 1), startMs, 1_000, startMs);
      let looks = 0;
      for (let at = startMs; at !== Number.POSITIVE_INFINITY; at = allotment.nextAt(at)) {
        allotment.take(1, at);
        looks += 1;
        if (looks > 2_000) throw new Error(`${tokens} tokens of ${memberCount} from ${startMs}: stuck at ${at}`);
      }
      expect(allotment.used).toBe(allotment.tokens);
    }
  });

  it("forfeits what accumulates beyond the burst", () => {
    const allotment = new Allotment("even", 2);
    allotment.setShare(heldShare(10, 0, 1), 0, 1_000, 0);
    expect(allotment.take(9, 650)).toBe(2);
    expect(allotment.take(9, 650)).toBe(0);
    expect(allotment.nextAt(651)).toBe(650 + 100);
    expect(allotment.take(9, 1_000)).toBe(2);
    expect(allotment.used).toBe(4);
  });

  it("forfeits nothing by a look alone", () => {
    const allotment = new Allotment("even", 2);
    allotment.setShare(heldShare(10, 0, 1), 0, 1_000, 0);
    expect([allotment.available(650), allotment.nextAt(650)]).toEqual([2, 650]);
    // At half the share, three tokens have come by then, and the last two may be granted.
    allotment.setShare(heldShare(5, 0, 1), 0, 1_000, 0);
    expect([allotment.take(9, 650), allotment.used]).toEqual([2, 2]);
  });

  it("never grants more than the share, however late", () => {
    const allotment = new Allotment("even", 100);
    allotment.setShare(heldShare(10, 0, 1), 0, 1_000, 0);
    expect(allotment.take(99, 990)).toBe(10);
    expect(allotment.take(99, 5_000)).toBe(0);
  });

  describe("while a caller waits", () => {
    const waiting = (burst?: number): Allotment => {
      const allotment = new Allotment("even", burst);
      allotment.setShare(heldShare(1_000, 0, 1), 0, 1_000, 0);
      allotment.take(1_000, 200);
      allotment.waitsFrom(200);
      return allotment;
    };

    it.each([20, 50, 100])("keeps what came due, however late the look is: %d ms", (lateMs) => {
      const allotment = waiting(1);
      allotment.waitedUntil(200 + lateMs);
      expect([allotment.available(200 + lateMs), allotment.nextAt(200 + lateMs)]).toEqual([lateMs, 200 + lateMs]);
      expect(allotment.take(1_000, 200 + lateMs)).toBe(lateMs);
    });

    it.each([101, 200, 700])("keeps 100 ms' worth, and no more, after %d ms", (lateMs) => {
      const allotment = waiting(1);
      allotment.waitedUntil(200 + lateMs);
      expect(allotment.available(200 + lateMs)).toBe(100);
      expect([allotment.take(40, 200 + lateMs), allotment.take(1_000, 200 + lateMs)]).toEqual([40, 60]);
      expect(allotment.take(1_000, 200 + lateMs)).toBe(0);
    });

    it("keeps each token 100 ms from when it came due, for the next caller as well", () => {
      const allotment = waiting(1);
      allotment.waitedUntil(260);
      expect(allotment.take(1, 260)).toBe(1);
      // Nobody has waited since: the 59 left grow old, and what comes now accumulates only to the burst.
      expect([allotment.available(290), allotment.available(330), allotment.available(400)]).toEqual([59, 30, 1]);
      expect(allotment.take(1_000, 330)).toBe(30);
    });

    it("keeps nothing of the time before the caller came", () => {
      const allotment = new Allotment("even", 3);
      allotment.setShare(heldShare(1_000, 0, 1), 0, 1_000, 0);
      allotment.waitsFrom(290);
      allotment.waitedUntil(300);
      expect(allotment.available(300)).toBe(10);
    });

    it("keeps nothing over the end of an epoch, and what came due since the new one began", () => {
      const allotment = waiting(1);
      allotment.waitedUntil(1_030);
      allotment.begin();
      allotment.setShare(heldShare(1_000, 0, 1), 1_000, 1_000, 1_030);
      expect(allotment.take(1_000, 1_030)).toBe(30);
    });

    it("has nothing at once of a share that grows, beyond what was there", () => {
      const allotment = new Allotment("even", 2);
      allotment.setShare(heldShare(100, 0, 1), 0, 1_000, 0);
      allotment.take(100, 200);
      allotment.waitsFrom(200);
      allotment.waitedUntil(250);
      allotment.setShare(heldShare(1_000, 0, 1), 0, 1_000, 250);
      expect([allotment.take(1_000, 250), allotment.take(1_000, 251)]).toEqual([5, 1]);
    });
  });
});

import { describe, expect, it } from "vitest";
import {
  type Growth,
  grown,
  type LearnedRate,
  lowered,
  type Measured,
  raised,
  UNLIMITED,
} from "../../src/rate/learned-rate.ts";
import { MeasuredRate } from "../../src/rate/measured-rate.ts";

const BETA = 0.7;
const CUBIC: Growth = { type: "cubic", scale: 0.4 };

/** As the AWS SDKs measure: what was sent, and nothing of what was taken. */
const sent = (rate: number): Measured => ({ sent: rate, taken: undefined, limited: false });

describe("the rate as the AWS SDKs have it", () => {
  it("grows from 7 to 10 and beyond, second by second, after 10 was too much at second 5", () => {
    const learned: LearnedRate = { rate: 7, highest: 10, loweredMs: 5_000 };
    const rates = [5, 6, 7, 8, 9, 10, 11].map((second) => grown(learned, second * 1_000, BETA, CUBIC));
    const theirs = [
      7, 9.64893600966, 10.000030849917364, 10.453284520772092, 13.408697022224185, 21.26626835427364,
      36.425998516920465,
    ];
    for (const [i, rate] of rates.entries()) expect(rate).toBeCloseTo(theirs[i] as number, 8);
  });

  it("falls with each refusal to 0.7 of what it was, and grows from there", () => {
    let learned: LearnedRate = { rate: 7, highest: 10, loweredMs: 5_000 };
    const theirs = [
      7, 9.64893600966, 6.754255206761999, 4.727978644733399, 6.606547753887045, 6.763279816944947, 7.598174833907107,
      11.511232804773524,
    ];
    for (const [i, expected] of theirs.entries()) {
      const nowMs = (5 + i) * 1_000;
      const refused = i === 2 || i === 3;
      learned = refused
        ? lowered({ ...learned, rate: i === 2 ? 9.64893600966 : learned.rate }, sent(1_000), nowMs, BETA)
        : { ...learned, rate: grown(learned, nowMs, BETA, CUBIC) };
      expect(learned.rate).toBeCloseTo(expected, 8);
    }
  });

  it("follows what is sent and refused, call by call", () => {
    // [measured, rate] after each of 17 calls, 0.2 s apart, the 10th and the 16th of which were refused; before the
    // first refusal nothing is held back.
    const theirs = [
      [0],
      [0],
      [4.8],
      [4.8],
      [4.16],
      [4.16],
      [4.16],
      [5.632],
      [5.632],
      [4.3264, 3.02848],
      [4.3264, 3.486639],
      [4.3264, 3.821874],
      [5.66528, 4.053386],
      [5.66528, 4.200373],
      [4.333056, 4.282037],
      [4.333056, 2.997426],
      [4.333056, 3.452226],
    ] as const;
    const measured = new MeasuredRate(0);
    let learned = UNLIMITED;
    for (const [i, [rate, allowed = Number.POSITIVE_INFINITY]] of theirs.entries()) {
      const nowMs = (i + 1) * 200;
      measured.add(nowMs);
      expect(measured.rate).toBeCloseTo(rate, 6);
      const refused = i === 9 || i === 15;
      if (refused) learned = lowered(learned, sent(measured.rate), nowMs, BETA);
      else learned = raised(learned, sent(measured.rate), nowMs, BETA, CUBIC);
      if (allowed === Number.POSITIVE_INFINITY) expect(learned.rate).toBe(allowed);
      else expect(learned.rate).toBeCloseTo(allowed, 6);
    }
  });
});

describe("what ours adds", () => {
  const learned: LearnedRate = { rate: 100, highest: 100, loweredMs: 0 };

  it("a rate is not lowered below 0.7 of what the callee took, however often it refuses in one of its seconds", () => {
    let rate = learned;
    for (let n = 0; n < 10; n++) rate = lowered(rate, { sent: 140, taken: 90, limited: true }, n * 20, BETA);
    expect(rate.rate).toBeCloseTo(63, 9);
  });

  it("where most is refused the rate falls to what was taken at once", () => {
    expect(lowered({ ...learned, rate: 1_000 }, { sent: 1_000, taken: 90, limited: true }, 0, BETA).rate).toBe(90);
    expect(lowered(learned, { sent: 100, taken: 0, limited: true }, 0, BETA).rate).toBe(0);
  });

  it("calls that were held back show that the rate was tried out; without them it is what was sent", () => {
    const tried = { ...learned, rate: 50 };
    expect(lowered(tried, { sent: 10, taken: undefined, limited: true }, 0, BETA).rate).toBe(35);
    expect(lowered(tried, { sent: 10, taken: undefined, limited: false }, 0, BETA).rate).toBe(7);
    const later = 60_000;
    expect(raised(tried, { sent: 30, taken: undefined, limited: false }, later, BETA, CUBIC).rate).toBe(60);
    expect(raised(tried, { sent: 30, taken: undefined, limited: true }, later, BETA, CUBIC).rate).toBeGreaterThan(
      1_000,
    );
  });

  it("an idle caller keeps what was learned", () => {
    const same = raised(learned, { sent: 0, taken: undefined, limited: false }, 60_000, BETA, CUBIC);
    expect(same).toBe(learned);
  });

  it("AIMD grows by the same every second", () => {
    const growth: Growth = { type: "aimd", increase: 5 };
    expect([0, 1, 2, 10].map((second) => grown(learned, second * 1_000, 0.5, growth))).toEqual([50, 55, 60, 100]);
  });
});

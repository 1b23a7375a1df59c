/** How a rate grows again after it was lowered. */
export type Growth =
  | { readonly type: "cubic"; readonly scale: number }
  | { readonly type: "aimd"; readonly increase: number };

/** What was learned. Rates are in calls a second. */
export interface LearnedRate {
  /** `Infinity` before the callee refused anything: then nothing is held back. */
  readonly rate: number;
  /** The rate that was too much when it was last lowered. */
  readonly highest: number;
  readonly loweredMs: number;
}

/** Nothing learned yet. */
export const UNLIMITED: LearnedRate = {
  rate: Number.POSITIVE_INFINITY,
  highest: 0,
  loweredMs: Number.NEGATIVE_INFINITY,
};

/** What was measured lately, in calls a second. */
export interface Measured {
  readonly sent: number;
  /** Those that the callee took; undefined while too few were counted to say. */
  readonly taken: number | undefined;
  /**
   * True when calls were held back by the rate lately: then the rate is what was tried out, and otherwise what was
   * sent.
   */
  readonly limited: boolean;
}

/**
 * After a refusal: `beta` of the rate that was tried out. What the callee took lately bounds it on both sides. It is no
 * less than `beta` of that: a callee that counts by the second refuses everything for the rest of a second, and each
 * round trip in it would lower the rate once more. And it is no more than that: where most is refused, so much need not
 * be tried.
 */
export function lowered(learned: LearnedRate, measured: Measured, nowMs: number, beta: number): LearnedRate {
  const { sent, taken, limited } = measured;
  const tried = limited && learned.rate < Number.POSITIVE_INFINITY ? learned.rate : Math.min(learned.rate, sent);
  const rate = taken === undefined ? beta * tried : Math.min(Math.max(beta * tried, beta * taken), taken);
  return { rate, highest: rate / beta, loweredMs: nowMs };
}

/**
 * The rate that growth leads to by now. CUBIC: fast towards the rate that was too much, slowly around it, then ever
 * faster; `scale` is 0.4 in the AWS SDKs. AIMD: by `increase` calls a second every second.
 */
export function grown(learned: LearnedRate, nowMs: number, beta: number, growth: Growth): number {
  const seconds = (nowMs - learned.loweredMs) / 1_000;
  if (growth.type === "aimd") return beta * learned.highest + growth.increase * seconds;
  return growth.scale * (seconds - flatAt(learned.highest, beta, growth.scale)) ** 3 + learned.highest;
}

/** The seconds after which CUBIC is back at the rate that was too much. */
function flatAt(highest: number, beta: number, scale: number): number {
  return Math.cbrt((highest * (1 - beta)) / scale);
}

/**
 * A rate that was learned before, as the start. With CUBIC it counts as the rate that was too much, which growth has
 * come back to: from there it is slow at first.
 */
export function startedFrom(rate: number, nowMs: number, beta: number, growth: Growth): LearnedRate {
  if (growth.type === "aimd") return { rate, highest: rate / beta, loweredMs: nowMs };
  return { rate, highest: rate, loweredMs: nowMs - 1_000 * flatAt(rate, beta, growth.scale) };
}

/**
 * Where calls are not held back, no rate grows above so many times what is sent: nobody would know whether the callee
 * takes it.
 */
const MOST_GROWTH = 2;

/**
 * After a success: what growth leads to, and no further than is tried out. It is never lower than before: that a caller
 * is idle says nothing of the callee.
 */
export function raised(
  learned: LearnedRate,
  measured: Measured,
  nowMs: number,
  beta: number,
  growth: Growth,
): LearnedRate {
  if (learned.rate === Number.POSITIVE_INFINITY) return learned;
  const most = measured.limited ? Number.POSITIVE_INFINITY : MOST_GROWTH * measured.sent;
  const rate = Math.min(grown(learned, nowMs, beta, growth), most);
  return rate > learned.rate ? { ...learned, rate } : learned;
}

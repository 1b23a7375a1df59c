import type { Settlement, SpendAnswer, SpendRequest } from "@dt/core";
import type { Violation } from "../invariants.ts";
import type { KeyFloor } from "../permits/permit-invariants.ts";

/** Sums of times near 1.7e12 ms are rounded by less than this. */
const ROUNDING_MS = 0.001;
/** Sums of units that are not whole are rounded by less than this part of them. */
const ROUNDING = 1e-9;

interface Leased {
  readonly id: string;
  readonly atMs: number;
  readonly tier: number;
  /** By the limit's name, the least that it may count for. */
  readonly units: Map<string, number>;
}

/** The most generous of what the requests have declared. */
interface Declared {
  max: number;
  windowMs: number;
}

/**
 * The leases of one budget, as their users see them: whatever the case is about, no window may hold more units than the
 * limit. A lease counts for what was reserved or settled, whichever is less: the store may have known either when it
 * made another one.
 */
export class LeasedUnits {
  /** The newest time answered. */
  floor: KeyFloor | undefined;
  #leases: Leased[] = [];
  readonly #settled = new Map<string, ReadonlyMap<string, number>>();
  readonly #declared = new Map<string, Declared>();
  /** For each tier, the smallest part that a request left to the tiers before. */
  readonly #keeps: number[] = [];

  /** A request that is on its way: what it settles may be given to another call from now on. */
  sent({ limits, keeps, settle = [] }: SpendRequest): void {
    for (const [tier, keep] of keeps.entries()) this.#keeps[tier] = Math.min(this.#keeps[tier] ?? 1, keep);
    for (const { name, max, windowMs } of limits) {
      const known = this.#declared.get(name) ?? { max, windowMs };
      this.#declared.set(name, { max: Math.max(max, known.max), windowMs: Math.min(windowMs, known.windowMs) });
    }
    for (const settlement of settle) this.#settle(settlement, limits);
  }

  /** Takes an answer in; gives back what it breaks. */
  answered({ limits, reserve }: SpendRequest, { granted, atMs, maxes = [] }: SpendAnswer): Violation | undefined {
    for (const [place, max] of maxes.entries()) {
      const known = this.#declared.get(limits[place]?.name ?? "");
      if (known) known.max = Math.max(known.max, max);
    }
    if (!reserve || !granted || reserve.force) return undefined;
    const { id, tier, costs } = reserve;
    const isKnown = this.#leases.some((lease) => lease.id === id && lease.atMs === atMs);
    if (isKnown) return undefined;
    const settled = this.#settled.get(id);
    const units = limits.map(({ name }, place): [string, number] => {
      const cost = costs[place] as number;
      return [name, Math.min(cost, settled?.get(name) ?? cost)];
    });
    const lease = { id, atMs, tier, units: new Map(units) };
    this.#leases.push(lease);
    for (const { name } of limits) {
      const violation = this.#over(lease, name, 0) ?? this.#over(lease, name, tier);
      if (violation) return violation;
    }
    return undefined;
  }

  /** A reset that is on its way (B11). */
  reset(): void {
    this.#leases = [];
    this.#settled.clear();
    this.#declared.clear();
  }

  #settle({ id, costs }: Settlement, limits: SpendRequest["limits"]): void {
    const settled = new Map(limits.map(({ name }, place) => [name, costs[place] as number]));
    if (!this.#settled.has(id)) this.#settled.set(id, settled);
    for (const lease of this.#leases.filter((one) => one.id === id))
      for (const [name, cost] of settled) lease.units.set(name, Math.min(cost, lease.units.get(name) ?? 0));
  }

  /** What is wrong with the windows that hold the lease, as far as a tier and those behind it may fill them. */
  #over({ atMs }: Leased, name: string, tier: number): Violation | undefined {
    const { max, windowMs } = this.#declared.get(name) as Declared;
    const most = max * (1 - (this.#keeps[tier] as number));
    const near = this.#leases.filter(
      (lease) => lease.tier >= tier && Math.abs(lease.atMs - atMs) < windowMs - ROUNDING_MS,
    );
    for (const first of near.filter((lease) => lease.atMs <= atMs)) {
      const held = near.filter((lease) => lease.atMs >= first.atMs && lease.atMs - first.atMs < windowMs - ROUNDING_MS);
      const units = held.reduce((sum, lease) => sum + (lease.units.get(name) ?? 0), 0);
      if (units <= most * (1 + ROUNDING)) continue;
      const of = tier === 0 ? "" : ` of the calls of tier ${tier} and later`;
      return {
        rule: "B4",
        summary: `the window of ${windowMs} ms from ${first.atMs} holds ${units} ${name}${of}, and ${most} is the most`,
      };
    }
    return undefined;
  }
}

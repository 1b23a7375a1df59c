import type { LimitValues } from "@dt/core";
import { describe, expect, it } from "vitest";
import type { Budget, Lease } from "../src/index.ts";
import { fleet, type Two, watched } from "./support/budgets.ts";

const WINDOW_MS = 60_000;
/** Windows are so much longer, for calls that begin late. */
const LATENESS_MS = 250;

type World = ReturnType<typeof fleet>;

const set = (world: World, values: LimitValues | undefined) =>
  world.store.setLimit({ kind: "budget", name: "llm" }, { values, by: "ann" });

/** Calls that take 600 tokens each; when each of them began. */
function calls(world: World, budget: Budget<Two>, count: number, begun: number[], tokens = 600): void {
  for (let i = 0; i < count; i++)
    budget
      .acquire({ requests: 1, tokens })
      .then((lease: Lease<Two>) => {
        begun.push(world.runtime.now());
        lease.settle({ tokens });
      })
      .catch(() => undefined);
}

/** The most tokens in any window that begins from then on. */
function mostInAWindow(begun: readonly number[], fromMs: number): number {
  const after = begun.filter((ms) => ms >= fromMs);
  return Math.max(0, ...after.map((ms) => 600 * after.filter((at) => at >= ms && at < ms + WINDOW_MS).length));
}

describe("a budget with stored limits", () => {
  it("goes by the code's values of the first one, and sizes need not be the same", async () => {
    const world = fleet({ stored: true });
    const other = world.create({ limits: { requests: { rate: "9/min" }, tokens: { rate: "90/min", burst: 90 } } });
    await world.budget.acquire({ tokens: 100 });
    await other.acquire({ tokens: 100 });
    expect(other.status()).toMatchObject({ stored: true, limits: { tokens: { max: 6_000, rest: 5_800 } } });
    expect(other.terms).toBe(`requests in ${WINDOW_MS + LATENESS_MS} ms; tokens in ${WINDOW_MS + LATENESS_MS} ms`);
  });

  it("is never above a limit that was raised, nor above the new one once it is lowered", async () => {
    const world = fleet({ stored: true }, 10);
    const begun: number[] = [];
    for (const budget of world.budgets) calls(world, budget, 30, begun);
    await world.pass(30_000);
    expect(begun).toHaveLength(10);
    await set(world, { tokens: 18_000 });
    await world.pass(10_000);
    expect(begun).toHaveLength(30);
    await world.pass(60_000);
    expect(mostInAWindow(begun, 0)).toBe(18_000);
    await set(world, { tokens: 3_000 });
    const loweredMs = world.runtime.now();
    await world.pass(400_000);
    expect(mostInAWindow(begun, 0)).toBe(18_000);
    expect(mostInAWindow(begun, loweredMs + 1_200)).toBe(3_000);
    await Promise.all(world.budgets.map((budget) => budget.stop()));
  });

  it("leaves nobody waiting who came while they were next to nothing", async () => {
    const world = fleet({ stored: true }, 5);
    await set(world, { tokens: 1 });
    const begun: number[] = [];
    for (const budget of world.budgets) calls(world, budget, 4, begun);
    const small = world.budgets.map((budget) => watched(budget.acquire({ tokens: 1 })));
    await world.pass(200_000);
    expect(begun).toHaveLength(0);
    await set(world, { tokens: 60_000 });
    await world.pass(5_000);
    expect(begun).toHaveLength(20);
    expect(small.filter(({ done }) => done)).toHaveLength(5);
  });

  it("tells of other limits, and refuses a call at once whose time is over before it may come", async () => {
    const world = fleet({ stored: true });
    const seen: unknown[] = [];
    world.budget.on("limitChanged", (event) => seen.push(event));
    await world.budget.acquire({ tokens: 1 });
    await set(world, { tokens: 10 });
    const late = watched(world.budget.acquire({ tokens: 500 }, { timeout: "20s" }));
    await world.pass(0);
    expect(late.error).toMatchObject({ code: "DT_TIMEOUT", limitedBy: "tokens" });
    expect(seen).toEqual([{ from: { requests: 60, tokens: 6_000 }, to: { requests: 60, tokens: 10 } }]);
    expect(world.budget.status()).toMatchObject({ limits: { tokens: { max: 10 } } });
  });

  it("begins beside budgets without it by replacing their terms", async () => {
    const world = fleet();
    await world.budget.acquire({ tokens: 100 });
    await expect(world.create({ stored: true }).acquire({ tokens: 100 })).rejects.toMatchObject({
      code: "DT_PACE_MISMATCH",
    });
    const next = world.create({ stored: true, replaces: world.budget.terms });
    await set(world, { tokens: 18_000 });
    await next.acquire({ tokens: 100 });
    await world.budget.acquire({ tokens: 100 });
    expect(next.status()).toMatchObject({ limits: { tokens: { max: 18_000 } } });
    expect(world.budget.status()).toMatchObject({ limits: { tokens: { max: 6_000 } } });
  });

  it("is refused where the store keeps none", () => {
    const { store, create } = fleet();
    expect(() => create({ stored: true, store: { spend: store.spend.bind(store) } })).toThrow(
      "this store keeps no limits",
    );
  });
});

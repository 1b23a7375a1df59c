import type { PermitRequest, SpendRequest } from "@dt/core";
import type { Store } from "@dt/core/store";
import { describe, expect, it } from "vitest";
import { permitRequest, spendRequest } from "../../requests.ts";

let names = 0;

/**
 * Keys of permits and budgets whose limits are stored (P16, B13), as several stores see them.
 * @param open a store
 */
export function testStoredLimits(open: () => Store): void {
  const newName = (): string => {
    names += 1;
    return `stored limit ${names}`;
  };

  describe("a key of permits with a stored limit", () => {
    it("has it from the next request of each store on, and the code's where it is removed", async () => {
      await using one = open();
      await using other = open();
      const name = newName();
      const target = { kind: "permits", name } as const;
      const ask = async (store: Store, everyMs: number, more: Partial<PermitRequest> = {}) =>
        (await store.reserve(name, permitRequest({ everyMs, burst: 2, stored: true, ...more }))).limit;
      expect(await ask(one, 1_000)).toEqual({ everyMs: 1_000, burst: 2 });
      expect(await ask(other, 5_000)).toEqual({ everyMs: 1_000, burst: 2 });
      await one.setLimit(target, { values: { everyMs: 250, burst: 1 }, by: "ann" });
      expect(await ask(other, 5_000)).toEqual({ everyMs: 250, burst: 1 });
      expect(await ask(one, 1_000)).toEqual({ everyMs: 250, burst: 1 });
      // Without it the stricter of both counts.
      expect(await ask(other, 100, { stored: false })).toEqual({ everyMs: 250, burst: 1 });
      expect((await other.inspectPermits(name))?.stored).toEqual({ revision: 1, values: { everyMs: 250, burst: 1 } });
      await other.setLimit(target, { values: undefined, by: "ann" });
      expect(await ask(one, 1_000)).toEqual({ everyMs: 1_000, burst: 2 });
    });
  });

  describe("a budget with stored limits", () => {
    it("has them from the next request of each store on, and the code's where they are removed", async () => {
      await using one = open();
      await using other = open();
      const name = newName();
      const target = { kind: "budget", name } as const;
      const ask = async (store: Store, more: Partial<SpendRequest> = {}) =>
        (await store.spend(name, spendRequest({}, { stored: true, ...more }))).maxes;
      expect(await ask(one)).toEqual([10, 1_000]);
      await one.setLimit(target, { values: { tokens: 400 }, by: "ann" });
      expect([await ask(other), await ask(one)]).toEqual([
        [10, 400],
        [10, 400],
      ]);
      expect(await ask(other, { stored: false })).toEqual([10, 400]);
      expect((await one.inspectBudget(name))?.stored).toMatchObject({ revision: 1, values: { tokens: 400 } });
      await other.setLimit(target, { values: undefined, by: "ann" });
      expect(await ask(one)).toEqual([10, 1_000]);
    });
  });
}

import { describe, expect, it } from "vitest";
import { type Result, savedResult } from "../src/saved-results.ts";
import type { StoreCostFigures } from "../src/store-costs/figures.ts";
import { storeCosts } from "../src/store-costs/store-costs.ts";
import { storesPage, writtenStoresPage } from "../src/stores-page.ts";

describe("docs/stores.md", () => {
  it("says what the guide and the kept results say", () => {
    expect(writtenStoresPage()).toBe(storesPage());
  });

  it("has every store, and for every size figures or the reason why there are none", () => {
    const { stores } = (savedResult("stores") as Result<StoreCostFigures>).figures;
    expect(stores.map(({ name }) => name)).toEqual(storeCosts.parts);
    for (const { sizes, convergence } of stores)
      for (const figures of [sizes, convergence])
        expect(figures.map(({ members }) => members)).toEqual([10, 100, 1_000, 10_000]);
  });
});

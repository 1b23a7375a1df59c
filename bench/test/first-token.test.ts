import { describe, expect, it } from "vitest";
import type { FirstTokenFigures } from "../src/first-token/first-token.ts";
import type { Result } from "../src/saved-results.ts";
import { runBench } from "./run-bench.ts";

describe("the first-token benchmark", () => {
  it("waits for a token in a new group and in one that somebody is in, on every store", async () => {
    const { stdout } = await runBench("first-token", "--quick", "--json");
    const { figures } = JSON.parse(stdout) as Result<FirstTokenFigures>;
    expect(figures.stores.map(({ name }) => name)).toEqual([
      "memory",
      "sqlite",
      "redis",
      "postgres",
      "etcd-1",
      "dynamodb",
    ]);
    for (const { waits } of figures.stores) {
      expect(waits.map(({ interval }) => interval)).toEqual(["100ms"]);
      for (const { fresh, joining } of waits) {
        expect(fresh.median).toBeGreaterThan(0);
        expect(joining.median).toBeGreaterThan(0);
      }
    }
  }, 120_000);
});

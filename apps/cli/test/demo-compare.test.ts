import { expect, test } from "vitest";
import type { Comparison } from "../src/demo/compare.ts";
import { Running } from "./support/cli.ts";
import { scratchFolder } from "./support/scratch.ts";

test("the same load unthrottled and with a static split, beside the shared limit", { timeout: 120_000 }, async () => {
  const { code, stdout, stderr } = await new Running("test/support/short-compare.ts", [scratchFolder()]).finished;
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const rows: Comparison[] = JSON.parse(stdout);
  expect(rows.map(({ name }) => name)).toEqual(["shared", "unthrottled", "static split"]);
  const [shared, unthrottled, staticSplit] = rows as [Comparison, Comparison, Comparison];
  // Nothing holds these back: far more than the limit in any second.
  expect(unthrottled.worstSlidingSecond).toBeGreaterThan(2 * 50);
  expect(unthrottled.rejected429).toBeGreaterThan(unthrottled.served);
  // Each of two workers, then three, two and one, has 24 a second to itself.
  expect(staticSplit.served).toBeGreaterThan(0);
  expect(staticSplit.served + staticSplit.rejected429).toBeLessThanOrEqual(3 * 24 * 4);
  expect(shared.served).toBeGreaterThan(0);
});

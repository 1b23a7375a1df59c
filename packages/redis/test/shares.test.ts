import { unevenFleet } from "@dt-tooling/simulator/uneven-fleet";
import { expect, test } from "vitest";
import { openStore, ownServer } from "./support/keep.ts";

test("shares by demand: of 50 tokens the busy process has what four light ones leave, these have their 2, and nobody has more than 50", async () => {
  const server = await ownServer();
  const { busy, light, most } = await unevenFleet(() => openStore({ url: server.url }));
  // Twice the even part, on a machine as busy as it may be: how much exactly is measured by `bench -- fleet`.
  expect(busy).toBeGreaterThan(20);
  for (const tokens of light) expect(tokens).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(50);
});

import { startRedis } from "@dt-tooling/backends";
import { expect, onTestFinished, test } from "vitest";
import { faultsOf, prove } from "../pipe-proof/run.ts";
import { SMALL } from "../pipe-proof/settings.ts";
import { startDt } from "../support/cli.ts";
import { scratchFolder } from "../support/scratch.ts";

test("four processes that share a limit, one of them killed and begun again, lose no record of a callee that fails in every way", async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const result = await prove(SMALL, scratchFolder(), redis.url, startDt);
  expect(faultsOf(result)).toEqual([]);
  const { judged, callee } = result;
  // The world was as hostile as it should have been.
  expect(judged.errors).toMatchObject({ "Server returned HTTP response code: n": expect.any(Number) });
  expect(callee.failed).toBeGreaterThan(0);
  expect(callee.refused).toBeGreaterThan(0);
});

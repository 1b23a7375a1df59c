import { expect, expectTypeOf, it } from "vitest";
import { DtError, isDtError } from "../../src/index.ts";

it("an error that has the code asked for is known to have it", () => {
  const error: unknown = new DtError("DT_LIMITED", "too soon", { retryAfterMs: 5 });
  expect([isDtError(error), isDtError(error, "DT_LIMITED"), isDtError(error, "DT_STOPPED")]).toEqual([
    true,
    true,
    false,
  ]);
  if (isDtError(error, "DT_LIMITED")) expectTypeOf(error.code).toEqualTypeOf<"DT_LIMITED">();
});

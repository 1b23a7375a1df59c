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

it("a package may have codes of its own, and a misspelt code of this one is refused by the compiler", () => {
  const own = new DtError<"DT_OWN">("DT_OWN", "a code of another package");
  // @ts-expect-error there is no such code
  const misspelt = new DtError("DT_LIMITD", "too soon");
  expect([own.code, misspelt.code, isDtError(own)]).toEqual(["DT_OWN", "DT_LIMITD", true]);
});

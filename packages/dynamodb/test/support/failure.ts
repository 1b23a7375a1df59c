import { type DtError, isDtError } from "@dt/core";
import { expect } from "vitest";

/** The error that a call fails with, which must be a `DtError`. */
export async function failure(call: Promise<unknown>): Promise<DtError> {
  const error: unknown = await call.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(isDtError(error), String(error)).toBe(true);
  return error as DtError;
}

/** What a call throws before it returns. */
export function thrown(call: () => unknown): DtError {
  try {
    call();
  } catch (error) {
    expect(isDtError(error), String(error)).toBe(true);
    return error as DtError;
  }
  throw new Error("nothing was thrown");
}

import { type DtError, isDtError } from "@dt/core";

/** The DtError that a call fails with. */
export async function failure(call: Promise<unknown>): Promise<DtError> {
  const error: unknown = await call.then(
    () => new Error("the call succeeded"),
    (reason: unknown) => reason,
  );
  if (isDtError(error)) return error;
  throw error;
}

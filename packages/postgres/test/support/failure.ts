import { type DtError, isDtError } from "@dt/core";

/** The DtError that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<DtError> {
  try {
    await promise;
  } catch (error) {
    if (isDtError(error)) return error;
    throw new Error(`rejected with something else than a DtError: ${String(error)}`, { cause: error });
  }
  throw new Error("resolved, but should have failed");
}

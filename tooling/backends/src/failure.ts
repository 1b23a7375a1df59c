import { type DtError, isDtError } from "@dt/core";

/**
 * The error that a call fails with.
 * @throws Error when it succeeds, or fails with something else than a `DtError`
 */
export async function failure(call: Promise<unknown>): Promise<DtError> {
  const error: unknown = await call.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  return checked(error);
}

/** The same of what a call throws before it returns. */
export function thrown(call: () => unknown): DtError {
  try {
    call();
  } catch (error) {
    return checked(error);
  }
  throw new Error("nothing was thrown");
}

function checked(error: unknown): DtError {
  if (isDtError(error)) return error;
  throw new Error(`not a DtError: ${String(error)}`, { cause: error });
}

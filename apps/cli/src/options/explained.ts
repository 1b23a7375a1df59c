import { isDtError } from "@dt/core";
import { InvalidArgumentError } from "commander";

/** Runs one of the kit's checks; what it refuses is an error of the command line. */
export function explained<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDtError(error)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}

import { isDtError } from "@dt/core";
import { describe } from "@dt/core/kit";
import { InvalidArgumentError } from "commander";

/**
 * Runs one of the kit's checks on what was given; what it refuses is an error of the command line. It does not repeat
 * what was given: beside the wrong option, that may be a password.
 */
export function explained<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDtError(error)) throw error;
    throw new InvalidArgumentError(error.message.replaceAll(describe(text), "not understood"));
  }
}

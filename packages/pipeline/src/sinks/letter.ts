import { DtError } from "@dt/core";
import type { Ending } from "../ending.ts";
import { deepJson } from "./deep-json.ts";

/** What is written of an ending, to be turned into JSON. */
export type Shape<Input = unknown, Result = unknown> = (ending: Ending<Input, Result>) => unknown;

/** The value that the call returned; of a record without success its input, and what went wrong. */
export function letterOf(ending: Ending): unknown {
  if (ending.kind === "success") return ending.output;
  return { input: ending.input, error: ending.error };
}

/**
 * The JSON of a value; of what JSON does not know (undefined, a function) `null`.
 * @throws DtError `DT_INVALID_OPTION` when there is none: a cycle, a bigint
 */
export function jsonOf(value: unknown, ending: Ending): string {
  try {
    return stringified(value);
  } catch (error) {
    const problem = `record ${ending.index} cannot be written as JSON: ${(error as Error).message}`;
    throw new DtError("DT_INVALID_OPTION", `${problem}; give the sink a \`line\` that makes JSON of it`, {
      cause: error,
    });
  }
}

function stringified(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    // The stack was too short.
    if (error instanceof RangeError) return deepJson(value);
    throw error;
  }
}

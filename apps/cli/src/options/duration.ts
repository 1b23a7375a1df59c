import { parseDuration } from "@dt/core/kit";
import { explained } from "./explained.ts";

/** A time, in milliseconds. */
export function durationOption(text: string): number {
  return explained(() => parseDuration("the time", text));
}

import { parseDuration } from "@dt/core/kit";
import { InvalidArgumentError } from "commander";
import { explained } from "./explained.ts";

/** A parser of times of at most so long, in milliseconds. @param most the same in words, for the message */
export function durationUpTo(mostMs: number, most: string): (text: string) => number {
  return (text) => {
    const ms = explained(text, () => parseDuration("the time", text));
    if (ms <= mostMs) return ms;
    throw new InvalidArgumentError(`Give a time of at most ${most}.`);
  };
}

/**
 * A time, in milliseconds. Timers of Node hold 24 days, and end at once when they are given more; commands wait up to
 * ten times what they are given.
 */
export const durationOption: (text: string) => number = durationUpTo(2 * 86_400_000, "2d");

import { isDtError } from "@dt/core";
import { describe, type ParsedRate, parseDuration, parseRate } from "@dt/core/internal";
import { InvalidArgumentError } from "commander";

/** A parser of times of at most so long, in milliseconds. @param most the same in words, for the message */
export function durationUpTo(mostMs: number, most: string): (text: string) => number {
  return (text) => {
    const ms = explained(text, () => parseDuration("the time", text));
    if (ms <= mostMs) return ms;
    throw new InvalidArgumentError(`Give a time of at most ${most}.`);
  };
}

/** A parser of times within bounds, in milliseconds. */
export function durationBetween(leastMs: number, mostMs: number): (text: string) => number {
  return (text) => {
    const ms = explained(text, () => parseDuration("the time", text));
    if (ms >= leastMs && ms <= mostMs) return ms;
    throw new InvalidArgumentError(`Give a time from ${leastMs}ms to ${mostMs}ms.`);
  };
}

/**
 * A time, in milliseconds. Timers of Node hold 24 days, and end at once when they are given more; commands wait up to
 * ten times what they are given.
 */
export const durationOption: (text: string) => number = durationUpTo(2 * 86_400_000, "2d");

/**
 * Runs one of core's checks on what was given; what it refuses is an error of the command line. It does not repeat
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

/** `600/min`, a whole number of requests in a window. */
export function rateOption(text: string): ParsedRate {
  const rate = explained(text, () => parseRate("the rate", /^[\d.]+$/.test(text) ? Number(text) : text));
  if (Number.isSafeInteger(rate.count)) return rate;
  throw new InvalidArgumentError('Give a whole number of requests and a time, such as "600/min".');
}

/** A parser for options that take a whole number within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

import { type ParsedRate, parseRate } from "@dt/core/kit";
import { InvalidArgumentError } from "commander";
import { explained } from "./explained.ts";

/** `600/min`, a whole number of requests in a window. */
export function rateOption(text: string): ParsedRate {
  const rate = explained(text, () => parseRate("the rate", /^[\d.]+$/.test(text) ? Number(text) : text));
  if (Number.isSafeInteger(rate.count)) return rate;
  throw new InvalidArgumentError('Give a whole number of requests and a time, such as "600/min".');
}

import type { Quota } from "./plan.ts";

/** How often bottleneck increases a reservoir; its documentation asks for a multiple of 250 ms. */
export const INCREASE_MS = 250;

/** The largest estimate of a call. */
const LARGEST = 130;

/**
 * A reservoir for tokens, as full as it may be: what it holds at first and what it is increased by within a window is
 * together what the callee allows.
 */
export function bucketOf({ tokens, windowMs }: Quota): { readonly amount: number; readonly maximum: number } {
  const amount = Math.floor((tokens - LARGEST) / (windowMs / INCREASE_MS + 1));
  return { amount, maximum: amount + LARGEST };
}

/** Between two calls that are evenly spaced: 1 % more than the callee's limit asks for. */
export function distanceMs({ requests, windowMs }: Quota): number {
  return Math.ceil((1_010 * windowMs) / requests) / 1_000;
}

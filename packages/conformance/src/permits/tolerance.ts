/**
 * How far an instant may lie from where the arithmetic puts it. Times near 1.7e12 ms have steps of 0.00024 ms in
 * floating point, and some databases keep whole microseconds.
 */
export const INSTANT_TOLERANCE_MS = 0.02;

/** How near to the edge of a comparison (a permit is due, the bound is reached) rounding may decide either way. */
export const EDGE_MS = 0.005;

/** By how much a time to try again may be rounded up; it is never too short. */
export const RETRY_ROUNDING_MS = 1.01;

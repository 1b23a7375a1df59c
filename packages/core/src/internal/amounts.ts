/** The largest amount of units: no sum of amounts leaves what a number holds exactly enough. */
export const MOST_UNITS = 1e12;

/** The longest window of a limit, in milliseconds: a hundred days. */
export const LONGEST_WINDOW_MS = 8_640_000_000;

import { expect, it } from "vitest";
import { checkDriverTimeout } from "../../src/ledger/index.ts";

it.each([
  [1, 1],
  ["1s", 1_000],
  ["10d", 864_000_000],
])("%j is a deadline that a driver can keep too", (value, expected) => {
  expect(checkDriverTimeout("timeout", value)).toBe(expected);
});

it.each([
  [0, "timeout is 0; give at least 1 ms"],
  [864_000_001, "timeout is 864000001; give at most 10 days"],
  // Twice as much is more than a timer of Node holds, and would end at once.
  ["13d", 'timeout is "13d"; give at most 10 days'],
  [2 ** 31, "timeout is 2147483648; give at most 10 days"],
  ["300d", 'timeout is "300d"; give at most 10 days'],
])("%j is refused: %s", (value, message) => {
  expect(() => checkDriverTimeout("timeout", value)).toThrow(message);
});

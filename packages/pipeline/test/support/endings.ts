import type { Ending } from "../../src/ending.ts";

/** An ending of each kind. */
export const succeeded = (input: unknown, output: unknown, index = 0): Ending => ({
  kind: "success",
  input,
  output,
  index,
});

export const throttledByUs = (input: unknown, index = 0): Ending => ({
  kind: "throttled",
  by: "client",
  input,
  error: "Throttled by Client. Request rejection probability: 0.3111111111111111",
  cause: undefined,
  index,
});

export const failed = (input: unknown, error: string, index = 0): Ending => ({
  kind: "error",
  input,
  error,
  cause: undefined,
  index,
});

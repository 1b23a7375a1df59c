import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/**
 * The words to put before a command so that no ordinary process interrupts it: Linux's `chrt`, where it is allowed (as
 * root). Empty elsewhere. What runs so is to be short: it has a processor to itself.
 */
export const realTimePrefix: () => Promise<readonly string[]> = allowed(["chrt", "--fifo", "1"]);

/**
 * The words to put before a command so that it goes before all ordinary processes, and yet shares with its like; empty
 * where it is not allowed. For several Node processes at once: at real-time priority the main threads, which spin until
 * V8's helpers have swept, would never let those have a processor.
 */
export const firstPrefix: () => Promise<readonly string[]> = allowed(["nice", "-n", "-20"]);

/** Tries the words once. */
function allowed(words: readonly string[]): () => Promise<readonly string[]> {
  let answer: Promise<readonly string[]> | undefined;
  return () => {
    // Without the right to it, `nice` says so on its standard error and runs the command all the same.
    answer ??= execute(words[0] as string, [...words.slice(1), "true"]).then(
      ({ stderr }) => (stderr === "" ? words : []),
      () => [],
    );
    return answer;
  };
}

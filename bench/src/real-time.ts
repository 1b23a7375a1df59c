import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

let answer: Promise<readonly string[]> | undefined;

/**
 * The words to put before a command so that no ordinary process interrupts it: Linux's `chrt`, where it is allowed (as
 * root). Empty elsewhere. What runs so is to be short: it has a processor to itself.
 */
export function realTimePrefix(): Promise<readonly string[]> {
  answer ??= execute("chrt", ["--fifo", "1", "true"]).then(
    () => ["chrt", "--fifo", "1"],
    () => [],
  );
  return answer;
}

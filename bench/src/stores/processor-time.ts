import { readFile } from "node:fs/promises";

/** The kernel counts in hundredths of a second, on every Linux that Node runs on. */
const US_PER_TICK = 10_000;

/**
 * Processor time that a process has used, in user mode and in the kernel, in microseconds; NaN where there is no /proc.
 */
export async function processorUs(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // After the name, which is in parentheses and may contain anything, the first field is the third.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) * US_PER_TICK;
}

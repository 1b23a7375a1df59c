/**
 * Milliseconds on the machine's monotonic clock. All processes of a machine read the same one, so that times taken in
 * different processes can be compared; `performance.now()` counts from each process's own start.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

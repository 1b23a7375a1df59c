/** The machine's monotonic clock, in milliseconds: one for all processes. */
export const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;

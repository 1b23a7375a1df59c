/** The part of Node's `process` that is used here; none of it need be there. */
export interface Surroundings {
  readonly platform?: string;
  getBuiltinModule?(name: string): { uptime?(): number } | undefined;
}

/**
 * A reading of the time since the machine was started, suspended or not, in milliseconds; where the clock of
 * `performance.now` leaves out what it was suspended, which is on Linux and Android. On macOS and Windows that clock
 * goes on (libuv reads `mach_continuous_time` and the performance counter). Undefined there, in browsers, and where the
 * system does not say. No import of `node:os`: bundles for browsers would not load.
 */
export function bootTimeOf(process: Surroundings | undefined): (() => number) | undefined {
  if (process?.platform !== "linux" && process?.platform !== "android") return undefined;
  const os = process.getBuiltinModule?.("node:os");
  const bootTimeMs = (): number => {
    try {
      return (os?.uptime?.() ?? Number.NaN) * 1_000;
    } catch {
      return Number.NaN;
    }
  };
  return Number.isNaN(bootTimeMs()) ? undefined : bootTimeMs;
}

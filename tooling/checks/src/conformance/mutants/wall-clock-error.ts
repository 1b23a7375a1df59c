const loaded = { wallMs: Date.now(), monotonicMs: performance.now() };

/**
 * How far the wall clock of this process is from where it would be since this module was loaded, in whole seconds. For
 * mutants that trust it.
 */
export function wallClockErrorMs(): number {
  const passedMs = performance.now() - loaded.monotonicMs;
  return Math.round((Date.now() - loaded.wallMs - passedMs) / 1_000) * 1_000;
}

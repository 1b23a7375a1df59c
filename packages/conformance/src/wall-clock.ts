/**
 * Runs something while the wall clock of this process is wrong by `skewMs`: `Date.now()`, `new Date()`, `Date()` and
 * `performance.timeOrigin`. The monotonic clock and the timers go on as they did. The whole process sees it, so that
 * nothing else should be running.
 *
 * What took `Date.now` aside before (`const { now } = Date`) is not reached.
 */
export async function withWallClock<T>(skewMs: number, run: () => Promise<T>): Promise<T> {
  const RealDate = Date;
  const realNow = Date.now;
  const { timeOrigin } = performance;
  const now = (): number => realNow.call(RealDate) + skewMs;
  const WrongDate = new Proxy(RealDate, {
    construct: (target, args, made) => Reflect.construct(target, args.length > 0 ? args : [now()], made) as object,
    apply: () => new RealDate(now()).toString(),
  });
  RealDate.now = now;
  globalThis.Date = WrongDate;
  Object.defineProperty(performance, "timeOrigin", { value: timeOrigin + skewMs, configurable: true });
  try {
    return await run();
  } finally {
    RealDate.now = realNow;
    globalThis.Date = RealDate;
    Reflect.deleteProperty(performance, "timeOrigin");
  }
}

let offsetMs = 0;

/** Sets this process's wall clock so much off the true time, as far as JavaScript sees it. */
export function setWallClock(offset: number): void {
  offsetMs = offset;
}

/**
 * Puts a `Date` that can be set wrong in the place of the real one. Before anything else is loaded, so that nobody
 * keeps the real one.
 */
export function replaceDate(): void {
  const RealDate = Date;
  const now = (): number => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
  });
}

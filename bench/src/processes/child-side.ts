/** What a process of the fleet says and hears. It ends with its parent. */
process.on("disconnect", () => process.exit());

/** A parent that is gone needs to hear nothing. */
export function tell(message: unknown): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

/** The next message. */
export function hear<T>(): Promise<T> {
  return new Promise((resolve) => process.once("message", (message) => resolve(message as T)));
}

/** A wall-clock time on the clock of `performance.now()`. */
export function localMs(wallMs: number): number {
  return performance.now() + wallMs - Date.now();
}

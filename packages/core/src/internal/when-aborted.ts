const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal aborts; returns what stops it. However many wait for one signal, it has one listener:
 * Node 20 warns of a leak at the eleventh. The listener goes with the last one that waits, since a signal that was
 * joined from others lives for as long as it has one.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = listening.get(signal) ?? new Set<() => void>();
  if (callbacks.size === 0) {
    listening.set(signal, callbacks);
    signal.addEventListener("abort", onAbort);
  }
  // A place of its own, also for a function that waits twice.
  const waiting = (): void => callback();
  callbacks.add(waiting);
  return () => {
    // Also while the others are called back: what has ended meanwhile is not.
    if (!callbacks.delete(waiting) || callbacks.size > 0 || listening.get(signal) !== callbacks) return;
    listening.delete(signal);
    signal.removeEventListener("abort", onAbort);
  };
}

function onAbort(this: AbortSignal): void {
  const callbacks = listening.get(this);
  listening.delete(this);
  this.removeEventListener("abort", onAbort);
  for (const callback of callbacks ?? []) callback();
}

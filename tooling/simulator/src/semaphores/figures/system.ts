/** Ends a call: its slot is free again. */
export type End = () => void;

/** A way to limit the calls in flight of a fleet, as its callers use it. */
export interface SlotSystem {
  /** Requests to the store so far. Hints and pushes are none. */
  readonly commands: number;
  /** A caller of this process waits for slots; `begin` is called once it has them. */
  acquire(process: number, begin: (end: End) => void, cost?: number): void;
  /** The process ends at once, and nothing of it is given back. Only where processes hold slots. */
  kill?(process: number): void;
}

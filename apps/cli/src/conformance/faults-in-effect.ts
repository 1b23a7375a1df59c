import type { StoreFaults } from "@dt/conformance";

type Undo = () => Promise<void>;

/**
 * Remembers which faults the suite has put into effect and not undone yet, so that a run that is stopped half-way does
 * not leave a server paused, cut off, dead or with a wrong clock.
 */
export class FaultsInEffect {
  readonly faults: StoreFaults;
  readonly #undo = new Map<string, Undo>();
  #shiftedByMs = 0;

  constructor(faults: StoreFaults) {
    this.faults = {
      ...this.#pair(faults, "pause", "resume"),
      ...this.#pair(faults, "partition", "heal"),
      ...(faults.kill && faults.restart && this.#killAndRestart(faults)),
      ...(faults.shiftClock && { shiftClock: (byMs) => this.#shift(faults, byMs) }),
    };
  }

  /** Undoes all, whatever fails; what failed is left out, since the run is over. */
  async undoAll(): Promise<void> {
    await Promise.allSettled([...this.#undo.values()].map((undo) => undo()));
    this.#undo.clear();
  }

  #pair(faults: StoreFaults, name: "pause" | "partition", remedy: "resume" | "heal"): Partial<StoreFaults> {
    if (!faults[name] || !faults[remedy]) return {};
    const undo = async (): Promise<void> => {
      await faults[remedy]?.();
      this.#undo.delete(name);
    };
    const fault = async (): Promise<void> => {
      this.#undo.set(name, undo);
      await faults[name]?.();
    };
    return { [name]: fault, [remedy]: undo };
  }

  #killAndRestart(faults: StoreFaults): Partial<StoreFaults> {
    const restart: NonNullable<StoreFaults["restart"]> = async (options) => {
      await faults.restart?.(options);
      this.#undo.delete("kill");
    };
    return {
      kill: async () => {
        this.#undo.set("kill", () => restart({ keepData: true }));
        await faults.kill?.();
      },
      restart,
    };
  }

  async #shift(faults: StoreFaults, byMs: number): Promise<void> {
    this.#shiftedByMs += byMs;
    if (this.#shiftedByMs === 0) this.#undo.delete("shiftClock");
    else this.#undo.set("shiftClock", async () => faults.shiftClock?.(-this.#shiftedByMs));
    await faults.shiftClock?.(byMs);
  }
}

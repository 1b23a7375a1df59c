import type { SimProcess } from "../world/sim-process.ts";

/** Tokens of one epoch, by its number. */
export interface EpochRecord {
  readonly epoch: number;
  /**
   * Granted by all members, less what callers gave back of grants of this very epoch: the calls that may have been
   * made in it.
   */
  net: number;
  /** The largest `net` ever was: what is given back lowers it again. */
  peak: number;
  /** The largest capacity that a member which granted had been answered: the `max` in force. */
  limit: number;
  /** World time of the last grant. */
  lastMs: number;
  readonly byProcess: Map<SimProcess, number>;
  /** What the calls cost that began in it, where calls cost several tokens. */
  readonly begun: Map<SimProcess, number>;
  /** Exact splits in use: the generation, and who has which rank in it. */
  split: { readonly generation: number; readonly ranks: Map<number, SimProcess> } | undefined;
}

/**
 * The account of every epoch of a run. When a store has lost its data, its clock was set back and nobody is left who
 * knows, epoch numbers come again: a number that was silent for longer than an epoch can last then stands for another
 * epoch.
 */
export class EpochBook {
  readonly #records = new Map<number, EpochRecord>();
  readonly #past: EpochRecord[] = [];
  readonly #reusedAfterMs: () => number;

  constructor(reusedAfterMs: () => number) {
    this.#reusedAfterMs = reusedAfterMs;
  }

  of(epoch: number): EpochRecord {
    let record = this.#records.get(epoch);
    if (!record) {
      record = {
        epoch,
        net: 0,
        peak: 0,
        limit: 0,
        byProcess: new Map(),
        begun: new Map(),
        split: undefined,
        lastMs: 0,
      };
      this.#records.set(epoch, record);
    }
    return record;
  }

  grant(process: SimProcess, epoch: number, tokens: number, limit: number, nowMs: number): EpochRecord {
    const known = this.#records.get(epoch);
    if (known && nowMs - known.lastMs > this.#reusedAfterMs()) {
      this.#past.push(known);
      this.#records.delete(epoch);
    }
    const record = this.of(epoch);
    record.lastMs = nowMs;
    record.net += tokens;
    record.peak = Math.max(record.peak, record.net);
    record.limit = Math.max(record.limit, limit);
    record.byProcess.set(process, (record.byProcess.get(process) ?? 0) + tokens);
    return record;
  }

  /**
   * Takes off what callers gave back, the newest of this number first. Returns how many it has too few of: what was
   * never granted.
   */
  giveBack(process: SimProcess, epoch: number, tokens: number): number {
    const past = this.#past.filter((record) => record.epoch === epoch).reverse();
    let left = tokens;
    for (const record of [this.of(epoch), ...past]) {
      const own = record.byProcess.get(process) ?? 0;
      const taken = Math.min(own, left);
      record.net -= taken;
      record.byProcess.set(process, own - taken);
      left -= taken;
    }
    return left;
  }

  /** What was given back and not taken after all: it was lost, and may as well have been used. */
  lost(process: SimProcess, epoch: number, tokens: number): EpochRecord {
    const record = this.of(epoch);
    record.net += tokens;
    record.peak = Math.max(record.peak, record.net);
    record.byProcess.set(process, (record.byProcess.get(process) ?? 0) + tokens);
    return record;
  }

  get all(): readonly EpochRecord[] {
    return [...this.#past, ...this.#records.values()];
  }
}

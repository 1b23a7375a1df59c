import type { Flaw, TransactionFlaw } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import type { SimulatedServer } from "./simulated-server.ts";

/** How a change of the ledger comes about at the server: at once, torn, or in a transaction. */
export class Transactions {
  readonly #server: SimulatedServer;
  readonly #flaw: Flaw;
  readonly #now: () => number;

  constructor(server: SimulatedServer, flaw: Flaw, now: () => number) {
    this.#server = server;
    this.#flaw = flaw;
    this.#now = now;
  }

  serve<T>(table: PlainTable, operation: (table: PlainTable, nowMs: number) => T): T | Promise<T> {
    const { torn, transactions } = this.#flaw;
    if (torn) return this.#tear(table, operation);
    if (transactions) return this.#transact(table, operation, transactions);
    return operation(table, this.#now());
  }

  /** Waits for its turn, works on a draft for a while, and commits. */
  async #transact<T>(
    table: PlainTable,
    operation: (table: PlainTable, nowMs: number) => T,
    { answersEarly, readsClockEarly, writesBehind, unfair = false }: TransactionFlaw,
  ): Promise<T> {
    const arrivedMs = this.#now();
    const boot = this.#server.boots;
    const unlock = await this.#server.lock(table, unfair);
    const draft = table.clone();
    await this.#server.reach(0);
    let result: T;
    try {
      result = operation(draft, readsClockEarly ? arrivedMs : this.#now());
    } catch (error) {
      unlock();
      throw error;
    }
    const committed = this.#server
      .reach(0)
      .then(() => {
        if (boot !== this.#server.boots) return;
        const { saved } = this.#server;
        if (!writesBehind || draft.row?.generation !== table.row?.generation) saved.delete(table);
        else if (!saved.has(table)) saved.set(table, table.clone());
        table.become(draft);
      })
      .finally(unlock);
    committed.catch(() => {});
    if (!answersEarly) await committed;
    return result;
  }

  /** The classic: read everything, work it out, write everything back, with room for others in between. */
  async #tear<T>(table: PlainTable, operation: (table: PlainTable, nowMs: number) => T): Promise<T> {
    const read = table.clone();
    await this.#server.reach(0);
    const result = operation(read, this.#now());
    table.become(read);
    return result;
  }
}

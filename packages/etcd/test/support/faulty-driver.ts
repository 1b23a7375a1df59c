import { systemRuntime } from "@dt/core";
import { Store } from "@dt/core/store";
import { backendOn } from "../../src/backend.ts";
import type { Committed, Driver, Transaction } from "../../src/driver.ts";
import { createClient, Etcd3Driver } from "../../src/etcd3-driver.ts";
import type { SessionContext } from "../../src/group-session.ts";

/** Patient: no deadline is tested here. */
const TIMEOUT_MS = 10_000;

/** A driver on a real etcd that does to transactions of the ledger and of permits what networks do. */
export class FaultyDriver implements Driver {
  /** What happens to the next transaction of these, instead of being sent and answered. */
  next: ((transaction: Transaction, send: () => Promise<Committed>) => Promise<Committed>) | undefined;
  readonly #driver: Etcd3Driver;

  constructor(endpoints: readonly string[]) {
    const use = { runtime: systemRuntime, timeoutMs: TIMEOUT_MS };
    this.#driver = new Etcd3Driver(createClient({ endpoints }, systemRuntime), use, true);
  }

  commit(transaction: Transaction): Promise<Committed> {
    // The keys to read are a live set; what is sent late is what was meant then.
    const sent = { ...transaction, otherwise: [...transaction.otherwise] };
    const send = (): Promise<Committed> => this.#driver.commit(sent);
    const { next } = this;
    // The time in a head is renewed beside a call's own transaction, and on a slow machine before it.
    if (!next || isHeadAlone(sent)) return send();
    this.next = undefined;
    return next(sent, send);
  }

  /** The next of them is carried out, and its answer lost. */
  loseAnswer(): void {
    this.next = async (_, send) => {
      await send();
      throw new Error("4 DEADLINE_EXCEEDED: Deadline exceeded");
    };
  }

  read: Driver["read"] = (keys) => this.#driver.read(keys);
  list: Driver["list"] = (ranges) => this.#driver.list(ranges);
  page: Driver["page"] = (...asked) => this.#driver.page(...asked);
  count: Driver["count"] = (prefix) => this.#driver.count(prefix);
  grantLease: Driver["grantLease"] = (seconds) => this.#driver.grantLease(seconds);
  keepAlive: Driver["keepAlive"] = (lease) => this.#driver.keepAlive(lease);
  watch: Driver["watch"] = (...watched) => this.#driver.watch(...watched);
  close(): void {
    this.#driver.close();
  }
}

function isHeadAlone({ puts, deletes }: Transaction): boolean {
  return deletes.length === 0 && puts.length > 0 && puts.every(({ key }) => key.endsWith("/head"));
}

/** A store on a driver, without hints. */
export function storeOn(driver: Driver, options: Partial<SessionContext> = {}): Store {
  const client = `client-${Math.random()}`;
  const context = { driver, runtime: systemRuntime, timeoutMs: TIMEOUT_MS, client, ...options };
  const { listen: _, capabilities, ...backend } = backendOn(context, "dt");
  return new Store({ ...backend, capabilities: { ...capabilities, hints: false } });
}

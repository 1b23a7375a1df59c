import { expect, it } from "vitest";
import type { Runtime } from "../../src/index.ts";
import { DtError } from "../../src/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { type Backend, type HintLink, Store, serverBackend, tableBackend } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** What a backend needs, as a class with private fields: a method that is taken off its object cannot read them. */
class Parts {
  readonly capabilities = { name: "own", clock: "server", ledger: true, losesData: false, hints: true } as const;
  readonly runtime: Runtime = new VirtualRuntime();
  readonly timeoutMs = 1_000;
  readonly setUp = new OwnSetUp();
  readonly #log: string[] = [];

  get log(): readonly string[] {
    return [...this.#log, ...this.setUp.log];
  }

  listen(): HintLink {
    this.#log.push("listen");
    return { listen: () => undefined, close: () => undefined };
  }

  toDtError(error: unknown): DtError {
    this.#log.push("toDtError");
    return new DtError("DT_STORE_UNAVAILABLE", String(error));
  }

  close(): void {
    this.#log.push("close");
  }
}

class OwnSetUp {
  readonly timeoutMs = 30_000;
  readonly log: string[] = [];
  #made = false;

  isDone(): boolean {
    return this.#made;
  }

  async make(): Promise<void> {
    this.#made = true;
    this.log.push("make");
  }
}

class OwnTables extends Parts {
  readonly #table = new MemoryTable();

  transaction<T>(_mode: string, operation: (transaction: undefined, nowMs: number) => T): T {
    if (this.log.includes("listen")) throw new Error("no");
    return operation(undefined, 1);
  }

  groupTable(): MemoryTable {
    return this.#table;
  }
}

class OwnServer extends Parts {
  readonly #replies = [{ memberCount: 0 }];

  async send(): Promise<unknown> {
    const reply = this.#replies.pop();
    if (!reply) throw new Error("no");
    return reply;
  }
}

class OwnBackend extends Parts {
  readonly #server = new OwnServer();

  inspect(): Promise<never> {
    return this.#server.send() as Promise<never>;
  }

  async register(): Promise<never> {
    return this.inspect();
  }

  async sync(): Promise<never> {
    return this.inspect();
  }

  async deregister(): Promise<never> {
    return this.inspect();
  }
}

const inspect = { request: () => "inspect", answer: (reply: unknown) => reply as never };

it.each<[string, Parts, (own: never) => Backend]>([
  ["tables", new OwnTables(), (own: OwnTables) => tableBackend(own)],
  ["a server", new OwnServer(), (own: OwnServer) => serverBackend(own, { inspect })],
  ["a backend", new OwnBackend(), (own: OwnBackend) => own],
])("the methods of %s may be those of a class", async (_, own, backendOf) => {
  const store = new Store(backendOf(own as never));
  expect(await store.inspect("g")).toMatchObject({ memberCount: 0 });
  (await store.onHint("g", () => undefined))();
  await expect(store.inspect("g")).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
  await store.close();
  expect(own.log).toEqual(["listen", "toDtError", "close", "make"]);
});

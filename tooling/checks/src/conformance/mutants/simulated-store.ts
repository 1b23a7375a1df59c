import type { LimitTarget, StoreCapabilities } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { type Backend, type Call, type NamePage, Store } from "@dt/core/store";
import type { Flaw } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import { simulatedBuckets } from "./simulated-buckets.ts";
import { simulatedBudgets } from "./simulated-budgets.ts";
import { limitKey, simulatedLimits } from "./simulated-limits.ts";
import { simulatedPermits } from "./simulated-permits.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import { Transactions } from "./transactions.ts";
import { withoutChecks } from "./without-checks.ts";

/** What a {@link simulatedStore} can do. */
export const simulatedCapabilities: StoreCapabilities = {
  name: "simulated",
  clock: "server",
  ledger: true,
  losesData: true,
  hints: true,
  demand: true,
  slots: true,
};

/** A client of the simulated server. Without a flaw it keeps every rule, which the suite's own tests show. */
export function simulatedStore(server: SimulatedServer, flaw: Flaw): Store {
  const backend = simulatedBackend(server, flaw);
  const store = new Store(backend);
  const unchecked =
    flaw.unchecked ??
    flaw.permits?.unchecked ??
    flaw.budgets?.unchecked ??
    flaw.buckets?.unchecked ??
    flaw.limits?.unchecked;
  return unchecked ? withoutChecks(store, backend, unchecked) : store;
}

function simulatedBackend(
  server: SimulatedServer,
  flaw: Flaw,
): Required<Omit<Backend, "setUp" | "toDtError" | "notSent">> {
  const capabilities = { ...simulatedCapabilities, ...flaw.capabilities };
  const client = ++server.clients;
  const now = (): number => (flaw.clock ? flaw.clock(server.now(), client) : server.now());
  const tableOf = (group: string): PlainTable => server.table(flaw.key ? flaw.key(group) : group);
  const transactions = new Transactions(server, flaw, now);

  /** The record of a group's limit, as requests with `stored` find it. */
  const recordOf = (group: string): ledger.LimitRecordRow | undefined => {
    const find = (kind: LimitTarget["kind"]): ledger.LimitRecordRow | undefined =>
      server.limits.get(limitKey({ kind, name: group }, flaw.limits ?? {}));
    return flaw.limits?.seen ? flaw.limits.seen(find("group"), find) : find("group");
  };

  /** Infinity where that is not known. */
  const dataSinceMs = (): number => {
    if (!capabilities.dataAge) return Number.POSITIVE_INFINITY;
    return flaw.dataSince ? flaw.dataSince(server) : server.dataSinceMs;
  };

  async function request<T>(call: Call, serve: () => T | Promise<T>): Promise<T> {
    call.sent = true;
    await server.reach(flaw.trips ?? 1);
    return serve();
  }

  function commit<T>(group: string, call: Call, operation: (table: PlainTable, nowMs: number) => T): Promise<T> {
    return request(call, async () => {
      const table = tableOf(group);
      const before = table.row && { ...table.row };
      const result = await transactions.serve(table, (draft, nowMs) => {
        draft.slots.hints = [];
        draft.record = recordOf(group);
        return operation(draft, nowMs);
      });
      if (ledger.isNews(before, table.row))
        server.notify({ kind: "group", name: group }, ledger.isPauseNews(before, table.row) ? "pause" : undefined);
      for (const [member, hint] of table.slots.hints.splice(0))
        server.notify({ kind: "slots", name: group, member }, ledger.writeSlotHint(hint));
      return result;
    });
  }

  /** A change of the ledger, once more after a repair when it finds damage (R18). */
  function change<T>(group: string, call: Call, operation: (table: PlainTable, nowMs: number) => T): Promise<T> {
    const heal = flaw.heal ?? ((_, proceed) => proceed());
    return commit(group, call, (table, nowMs) => {
      try {
        return operation(table, nowMs);
      } catch (error) {
        if (!(error instanceof ledger.DamagedData)) throw error;
        heal({ table, nowMs }, () => ledger.repair(table, {}, nowMs));
      }
      return operation(table, nowMs);
    });
  }

  /** A page in order of the names. */
  const page = (place: string, call: Call, all: () => readonly string[]): Promise<NamePage> =>
    request(call, () => {
      const rest = all().filter((name) => name > place);
      const names = rest.sort().slice(0, ledger.PAGE_SIZE);
      return { names, next: names[ledger.PAGE_SIZE - 1] };
    });

  const { names, ...permits } = simulatedPermits(server, flaw.permits ?? {}, client, request);
  const { budgetNames, ...budgets } = simulatedBudgets(server, flaw.budgets ?? {}, client, request);
  const { bucketNames, ...buckets } = simulatedBuckets(server, flaw.buckets ?? {}, client, request);
  return {
    capabilities,
    runtime: server.runtime,
    timeoutMs: 1_000,
    register: (group, registration, call) => {
      const run = flaw.register ?? ((_, proceed) => proceed());
      return change(group, call, (table, nowMs) =>
        run({ table, ref: registration, request: registration, nowMs }, (asked = registration) =>
          ledger.register(table, asked, nowMs, dataSinceMs()),
        ),
      );
    },
    sync: (group, ref, report, call) => {
      const run = flaw.sync ?? ((_, proceed) => proceed());
      return change(group, call, (table, nowMs) =>
        run({ table, ref, request: report, nowMs }, (asked = report) => ledger.sync(table, ref, asked, nowMs)),
      );
    },
    deregister: (group, ref, farewell, call) => {
      const run = flaw.deregister ?? ((_, proceed) => proceed());
      return change(group, call, (table, nowMs) =>
        run({ table, ref, request: farewell, nowMs }, (asked = farewell) =>
          ledger.deregister(table, ref, asked, nowMs),
        ),
      );
    },
    inspect: (group, call) =>
      request(call, async () => {
        const table = tableOf(group);
        if (flaw.transactions?.inspectLocks) (await server.lock(table, false))();
        const snapshot = ledger.inspect(table, group, now());
        return flaw.inspect ? flaw.inspect(snapshot, table) : snapshot;
      }),
    repair: (group, options, call) => {
      const run = flaw.repair ?? ((_, proceed) => proceed());
      if (options.reset && flaw.limits?.goesWithGroup)
        server.limits.delete(limitKey({ kind: "group", name: group }, {}));
      return commit(group, call, (table, nowMs) =>
        run({ table, request: options, nowMs }, (asked = options) => ledger.repair(table, asked, nowMs)),
      );
    },
    list: (place, call) => page(place, call, () => server.groups()),
    ...permits,
    listPermits: (place, call) => page(place, call, names),
    ...budgets,
    ...simulatedLimits(server, flaw.limits ?? {}, request),
    listBudgets: (place, call) => page(place, call, budgetNames),
    ...buckets,
    listBuckets: (place, call) => page(place, call, bucketNames),
    listen: (events) => {
      server.links.add(events);
      return {
        listen: (_topics, call) => request(call, () => undefined),
        close: () => void server.links.delete(events),
      };
    },
    close: () => undefined,
  };
}

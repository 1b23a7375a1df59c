import { damagedPermits, inspectPermits, releasePermits, reservePermits, resetPermits } from "@dt/core/ledger";
import type { Call, Operations } from "@dt/core/store";
import type { PermitFlaw } from "./permit-flaw.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import { PlainPermitTable } from "./suite-internals.ts";

type Request = <T>(call: Call, serve: () => T | Promise<T>) => Promise<T>;
type PermitOperations = Required<Pick<Operations, "reserve" | "release" | "resetPermits" | "inspectPermits">>;

/** The permit ledger's part of a simulated store, and the keys that somebody has used. */
export function simulatedPermits(
  server: SimulatedServer,
  flaw: PermitFlaw,
  client: number,
  request: Request,
): PermitOperations & { readonly names: () => readonly string[] } {
  const nameOf = (key: string): string => (flaw.key ? flaw.key(key) : key);
  const now = (): number => (flaw.clock ? flaw.clock(server.now(), client) : server.now());

  function refuseDamaged(key: string): void {
    if (server.damagedPermits.has(nameOf(key))) throw damagedPermits(`the simulated row of ${key}`, "nonsense");
  }

  function mend(key: string): void {
    if (server.damagedPermits.delete(nameOf(key))) server.permits.delete(nameOf(key));
  }

  /** Torn, it is the classic: read everything, work it out, write everything back, with room for others in between. */
  async function change<T>(key: string, operation: (table: PlainPermitTable, nowMs: number) => T): Promise<T> {
    if (flaw.damaged === "served") mend(key);
    refuseDamaged(key);
    const table = server.permits.get(nameOf(key)) ?? new (flaw.table ?? PlainPermitTable)();
    server.permits.set(nameOf(key), table);
    table.record = server.limits.get(JSON.stringify(["permits", key, undefined]));
    if (!flaw.torn) return operation(table, now());
    const read = table.clone();
    await server.reach(0);
    const result = operation(read, now());
    table.become(read);
    return result;
  }

  return {
    reserve: (key, asked, call) => {
      const run = flaw.reserve ?? ((_, proceed) => proceed());
      return request(call, () =>
        change(key, (table, nowMs) =>
          run({ table, request: asked, nowMs }, (altered = asked) => reservePermits(table, altered, nowMs)),
        ),
      );
    },
    release: (key, release, call) => {
      const run = flaw.release ?? ((_, proceed) => proceed());
      return request(call, async () => {
        const freed = await change(key, (table, nowMs) =>
          run({ table, request: release, nowMs }, (altered = release) => releasePermits(table, altered, nowMs)),
        );
        if (freed) server.notify({ kind: "permits", name: key });
      });
    },
    resetPermits: (key, call) => {
      const run = flaw.reset ?? ((_, proceed) => proceed());
      return request(call, async () => {
        if (flaw.damaged !== "kept") mend(key);
        await change(key, (table, nowMs) => run({ table, nowMs }, () => resetPermits(table, nowMs)));
        server.notify({ kind: "permits", name: key });
      });
    },
    inspectPermits: (key, call) => {
      const run = flaw.inspect ?? ((_, proceed) => proceed());
      return request(call, () => {
        refuseDamaged(key);
        const [table, nowMs] = [server.permits.get(nameOf(key)) ?? new PlainPermitTable(), now()];
        return run({ table, nowMs }, () => inspectPermits(table, key, nowMs));
      });
    },
    names: () => [...server.permits].filter(([, { key }]) => key).map(([name]) => name),
  };
}

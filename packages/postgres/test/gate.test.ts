import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { Gate } from "../src/pool/gate.ts";
import type { PostgresClient, PostgresPool } from "../src/pool/postgres-pool.ts";

/** Resolves after so many promises' callbacks. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined;
}

test.each([...Array(12).keys()])(
  "a call that is given up %i turns after its connection came is not sent",
  async (late) => {
    const sent: boolean[] = [];
    let released = 0;
    const client = {
      query: async () => ({ rows: [] }),
      release: () => (released += 1),
      on: () => undefined,
      removeListener: () => undefined,
    } as unknown as PostgresClient;
    let come = (): void => undefined;
    const pool: PostgresPool = { connect: () => new Promise((resolve) => (come = () => resolve(client))) };
    const caller = new AbortController();
    const onSent = (): void => void sent.push(caller.signal.aborted);
    const running = new Gate(pool, new VirtualRuntime(), 1_000, 1).run("SELECT 1", caller.signal, { onSent });
    const outcome = running.catch((error: unknown) => error);
    await turns(5);
    come();
    await turns(late);
    caller.abort();
    await outcome;
    // Sent before it was given up, or not at all.
    expect(sent).not.toContain(true);
    expect(released).toBe(1);
  },
);

import { execFile } from "node:child_process";
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { createConcurrencyLimit, fixed } from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

test("a thousand callers of one turn do not get more slots than there are: what is looked at is taken at once", async () => {
  await using limit = createConcurrencyLimit({ algorithm: fixed(10) });
  let [running, most] = [0, 0];
  const call = async (): Promise<void> => {
    const slot = await limit.acquire();
    most = Math.max(most, ++running);
    await nextTurn();
    running -= 1;
    slot.success();
  };
  await Promise.all(Array.from({ length: 1_000 }, call));
  expect(most).toBe(10);
});

test("waits that are longer than a timer of the platform can be are not over at once", async () => {
  await using limit = createConcurrencyLimit({ algorithm: fixed(1), acquireTimeout: "60d", maxHold: "60d" });
  const slot = await limit.acquire();
  const ends: unknown[] = [];
  limit.on("overdue", (event) => ends.push(event));
  limit.acquire(1, { timeout: "30d" }).then(
    (end) => ends.push(end),
    (error) => error.code === "DT_STOPPED" || ends.push(error.code),
  );
  limit.acquire().catch(({ code }) => code === "DT_STOPPED" || ends.push(code));
  await sleep(50);
  expect(ends).toEqual([]);
  expect(slot.open).toBe(true);
  await limit.stop();
});

test("signals that abort at the instant of a grant lose no slot", async () => {
  await using limit = createConcurrencyLimit({ algorithm: fixed(3) });
  let [served, aborted] = [0, 0];
  const call = async (n: number): Promise<void> => {
    const controller = new AbortController();
    const waits = limit.acquire(1, { signal: controller.signal });
    // In microtasks, turns and timers, as close to the grants as they come.
    if (n % 3 === 0) queueMicrotask(() => controller.abort());
    else if (n % 3 === 1) setImmediate(() => controller.abort());
    else setTimeout(() => controller.abort(), n % 7);
    try {
      const slot = await waits;
      if (n % 2 === 0) await nextTurn();
      slot.success();
      served += 1;
    } catch {
      aborted += 1;
    }
  };
  await Promise.all(Array.from({ length: 3_000 }, (_, n) => call(n)));
  expect(served + aborted).toBe(3_000);
  expect(Math.min(served, aborted)).toBeGreaterThan(0);
  expect(limit.status()).toMatchObject({ inflight: 0, inflightCalls: 0, waiting: 0 });
});

test("a signal that lives long keeps nothing of those who have waited with it", async () => {
  await using limit = createConcurrencyLimit({ algorithm: fixed(1) });
  const { signal } = new AbortController();
  const warnings = vi.spyOn(process, "emitWarning");
  const slot = await limit.acquire();
  const waiting = Array.from({ length: 100 }, () => limit.acquire(1, { signal }));
  const late = limit.acquire(1, { signal, timeout: 1 }).catch(() => undefined);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  slot.success();
  for (const next of waiting) (await next).success();
  await late;
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
  expect(warnings).not.toHaveBeenCalled();
});

test("latencies do not follow the wall clock when it is set", async () => {
  const algorithm = scripted(1, { minMs: 10 });
  // On a busy machine the event loop is late, and then nothing would be seen.
  await using limit = createConcurrencyLimit({ algorithm, maxLag: 1 });
  const slot = await limit.acquire();
  const hour = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
  await sleep(20);
  slot.success();
  hour.mockRestore();
  expect(algorithm.seen[0]?.minMs).toBeGreaterThanOrEqual(19);
  expect(algorithm.seen[0]?.minMs).toBeLessThan(10_000);
});

/** Runs a program that has a limit of one, in a process of its own; gives what it printed. */
async function program(body: string): Promise<string> {
  const source = `import { createConcurrencyLimit, fixed } from "@dt/adaptive";
    const limit = createConcurrencyLimit({ algorithm: fixed(1) });
    ${body}`;
  const root = join(import.meta.dirname, "../../../..");
  const flags = ["--import", join(root, "tooling/bootstrap/src/from-sources.ts"), "--input-type=module", "-e", source];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: join(root, "bench"), timeout: 300_000 });
  return stdout.trim();
}

test("a process in which a caller waits does not end before the caller is answered", async () => {
  const wait =
    "await limit.acquire(); await limit.acquire(1, { timeout: 300 }).catch(({ code }) => console.log(code));";
  expect(await program(wait)).toBe("DT_TIMEOUT");
});

test("a slot that is never settled keeps no process running, nor does the look at the event loop", async () => {
  expect(await program('await limit.acquire(); console.log("done");')).toBe("done");
});

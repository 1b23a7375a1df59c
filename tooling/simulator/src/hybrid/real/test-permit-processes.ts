import { LONGEST_LEAD_MS } from "@dt/cas";
import { afterAll, expect, it } from "vitest";
import type { PermitWorkerOptions } from "./permit-options.ts";
import { distances, PermitProcess } from "./permit-process.ts";

/** The first is 5 s ahead of the others, and the second runs fast. */
const clockOf = (i: number) => ({ offsetMs: i === 0 ? 5_000 : 0, rate: i === 1 ? 1.0005 : 1 });

/**
 * Makes tests of pacers in real processes on a real server.
 * @param store what makes a process's store; asked when the server runs
 * @param pacerOptions of all pacers
 */
export function testPermitProcesses(
  store: () => Pick<PermitWorkerOptions, "module" | "factory" | "store">,
  pacerOptions: Pick<PermitWorkerOptions["pacer"], "storeTimeout"> = {},
): void {
  const workers: PermitProcess[] = [];
  afterAll(() => Promise.all(workers.map((worker) => worker.kill())));

  function boot(id: string, changes: Pick<PermitWorkerOptions, "pacer" | "permits" | "clock">): PermitProcess {
    const worker = new PermitProcess({ id, ...store(), ...changes });
    workers.push(worker);
    return worker;
  }

  it("six real processes, one of them 5 s off, take 90 permits: none closer than the interval on the key's clock, none lost", {
    timeout: 120_000,
  }, async () => {
    const everyMs = 40;
    const pacer = { name: "dense", every: everyMs, maxReserved: 20, permitTtl: 1_000, ...pacerOptions };
    const crew = Array.from({ length: 6 }, (_, i) => boot(`d${i}`, { pacer, permits: 15, clock: clockOf(i) }));
    await Promise.all(crew.map((worker) => worker.ready()));
    for (const worker of crew) worker.begin();
    await Promise.all(crew.map((worker) => worker.finished()));
    // On a busy machine a call may lose too many races; it says so, and is made again.
    for (const failure of crew.flatMap(({ failures }) => failures)) expect(failure).toMatch(/^DtError: /);
    const used = crew.flatMap(({ usedMs }) => usedMs);
    expect(used).toHaveLength(90);
    const kept = crew.flatMap(({ instants }) => instants);
    expect(kept.length).toBeGreaterThanOrEqual(90);
    expect(Math.min(...distances(kept))).toBeGreaterThan(everyMs - 0.01);
    // In true time, no more come within a second than the interval and the stated error allow.
    const sorted = used.sort((a, b) => a - b);
    const most = Math.max(...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 1_000).length));
    expect(most).toBeLessThanOrEqual((1_000 + LONGEST_LEAD_MS) / everyMs + 1);
  });

  it("a process that is killed, one that stands still, one that is 5 s off and a new one keep the distance in true time but for the stated error", {
    timeout: 120_000,
  }, async () => {
    const everyMs = 1_200;
    const pacer = { name: "sparse", every: everyMs, permitTtl: 400, ...pacerOptions };
    const crew = Array.from({ length: 4 }, (_, i) => boot(`s${i}`, { pacer, permits: 2, clock: clockOf(i) }));
    await Promise.all(crew.map((worker) => worker.ready()));
    const [a, b, c, late] = crew as [PermitProcess, PermitProcess, PermitProcess, PermitProcess];
    a.begin();
    await expect.poll(() => a.usedMs.length, { timeout: 10_000 }).toBe(1);
    b.begin();
    c.begin();
    await expect.poll(() => c.instants.length, { timeout: 10_000 }).toBe(1);
    // It keeps the time now, and has reserved.
    await c.kill();
    a.signal("SIGSTOP");
    await expect.poll(() => b.usedMs.length, { timeout: 10_000 }).toBeGreaterThan(0);
    late.begin();
    a.signal("SIGCONT");
    await Promise.all([a, b, late].map((worker) => worker.finished()));
    const instants = crew.flatMap((worker) => worker.instants);
    expect(Math.min(...distances(instants))).toBeGreaterThan(everyMs - 0.01);
    const used = crew.flatMap(({ usedMs }) => usedMs);
    expect(used).toHaveLength(6 + c.usedMs.length);
    // Late within its life is no error of the clock.
    expect(Math.min(...distances(used))).toBeGreaterThan(everyMs - LONGEST_LEAD_MS - 400);
  });
}

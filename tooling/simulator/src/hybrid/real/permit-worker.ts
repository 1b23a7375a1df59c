// A real process with a clock of its own that takes permits, one after the other, and writes down what it does, one
// line each, with the machine's monotonic time in milliseconds: what it reserved and gave back, and when it used one.
// Begins when told to and ends when it has taken all.
import { createPacer, type PermitLedger, type Runtime, systemRuntime } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import type { PermitWorkerOptions } from "./permit-options.ts";

const {
  module: path,
  factory,
  store: storeOptions,
  pacer: pacerOptions,
  clock,
  permits,
} = JSON.parse(process.argv[2] as string) as PermitWorkerOptions;
const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const runtime: Runtime = {
  now: () => machineMs() * clock.rate + clock.offsetMs,
  setTimer: (callback, delayMs, options) => systemRuntime.setTimer(callback, delayMs / clock.rate, options),
  random: Math.random,
};
const module = (await import(path)) as Record<string, (options: object) => PermitLedger & { close(): Promise<void> }>;
const store = (module[factory] as NonNullable<(typeof module)[string]>)({ ...storeOptions, runtime });
const say = (...words: readonly (string | number)[]): unknown => process.stdout.write(`${words.join(" ")}\n`);
const ledger: PermitLedger = {
  async reserve(key, request, signal) {
    const reservation = await store.reserve(key, request, signal);
    const { granted } = reservation;
    for (let i = 0; i < granted; i++) say("reserved", request.id, i, instantOf(reservation, i));
    return reservation;
  },
  async release(key, release, signal) {
    say("released", release.id, release.keep);
    await store.release(key, release, signal);
  },
};
const pacer = createPacer({ ...pacerOptions, store: ledger, runtime });
say("ready");
await new Promise((resolve) => process.stdin.once("data", resolve));
let failures = 0;
for (let i = 0; i < permits; ) {
  try {
    await pacer.acquire();
    say("used", machineMs());
    i += 1;
  } catch (error) {
    // The store was busy, which is the store's business; but not for ever.
    say("failed", String(error).replaceAll("\n", " "));
    failures += 1;
    if (failures > permits) throw error;
  }
}
await pacer.stop();
await store.close();
process.exit(0);

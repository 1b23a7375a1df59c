// A real process with a clock of its own that takes every token it can get and writes down what it got: one line for
// each grant, with the epoch, the tokens and the machine's monotonic time in milliseconds, by which all processes of a
// machine can be compared. Ends gracefully when its standard input ends.
import { createThrottle, type Runtime, systemRuntime } from "@dt/core";
import type { WorkerOptions } from "./options.ts";

const options = JSON.parse(process.argv[2] as string) as WorkerOptions;
const { offsetMs, rate } = options.clock;
const runtime: Runtime = {
  now: () => systemRuntime.now() * rate + offsetMs,
  setTimer: (callback, delayMs, timerOptions) => systemRuntime.setTimer(callback, delayMs / rate, timerOptions),
  random: Math.random,
};
const module = (await import(options.module)) as Record<
  string,
  (options: object) => Parameters<typeof createThrottle>[0]["store"]
>;
const store = (module[options.factory] as NonNullable<(typeof module)[string]>)({ ...options.store, runtime });
const throttle = createThrottle({ ...options.throttle, memberId: options.id, store, runtime });
const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

throttle.on("grant", ({ epoch, tokens }) => {
  process.stdout.write(`grant ${epoch} ${tokens} ${machineMs()}\n`);
});
for (;;) {
  try {
    await throttle.start();
    break;
  } catch (error) {
    process.stdout.write(`waiting ${String(error)}\n`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
process.stdout.write("started\n");
let ended = false;
process.stdin.on("end", () => {
  ended = true;
});
process.stdin.resume();
while (!ended) {
  throttle.tryAcquireUpTo(1_000_000);
  await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 10));
}
await throttle.stop();
await store.close();
process.stdout.write("stopped\n");

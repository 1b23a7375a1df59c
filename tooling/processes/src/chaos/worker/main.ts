/** A worker process; see `run-worker.ts`. The wall clock goes wrong before anything of `@dt` is loaded. */
import type { WorkerConfig } from "./config.ts";
import { replaceDate, setWallClock } from "./wall-clock.ts";

const config = JSON.parse(process.argv[2] as string) as WorkerConfig;
if (config.wallClock === "Date") {
  replaceDate();
  setWallClock(config.offsetMs);
}
const { runWorker } = await import("./run-worker.ts");
await runWorker(config);

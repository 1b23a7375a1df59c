export { Book, type EpochRecord, type Violation } from "./book.ts";
export { Host } from "./host.ts";
export { Network, type Weather } from "./network.ts";
export { Random } from "./random.ts";
export type { WorkerOptions } from "./real/options.ts";
export { type Grant, longestEpochMs, mostInAnEpoch, mostWithin, WorkerProcess } from "./real/worker-process.ts";
export { type Settings, settingsOf } from "./settings.ts";
export { Timeline, type WorldEvent } from "./timeline.ts";
export { type RunResult, runWorld, type ServerModel } from "./world.ts";

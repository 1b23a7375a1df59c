/**
 * What every `@dt` package is made with: checks of options, durations and rates, deadlines, waiting and events. For our
 * own packages, which are released together with this one: what is here may change in any version, so nothing else
 * should import it.
 */

export { type Batcher, batcherOf, type TimedAnswer } from "../batcher/batcher.ts";
export { CHANNEL_PREFIX, packageName, SCOPE } from "../errors/scope.ts";
export {
  ACQUIRE_OPTIONS,
  type AcquireSettings,
  checkAcquireOptions,
  checkPriority,
} from "../limiter/acquire-options.ts";
export { admitBy, type CallOptions, type Calls, callsOf, type Entrance, SKIPPED, type Ways } from "../limiter/calls.ts";
export { FleetSlot, type SlotWays, type Taken } from "../limiter/fleet-slot.ts";
export type { AnyMethod, Wrapped } from "../limiter/wrap.ts";
export { SleepWatch } from "../runtime/sleep-watch.ts";
export { SEMAPHORE_PREFIX, semaphoreGroup } from "../semaphore/group.ts";
export { LONGEST_WINDOW_MS, MOST_UNITS } from "./amounts.ts";
export { type Admitted, type BatchOptions, batches } from "./batches.ts";
export {
  checkCall,
  checkDuration,
  checkInteger,
  checkKeys,
  checkName,
  checkRuntime,
  checkSignal,
  invalidOption,
  isPromise,
} from "./check.ts";
export { type DeadlineOptions, withDeadline } from "./deadline.ts";
export { Drain, type Drained, type DrainOptions } from "./drain.ts";
export { type Duration, describe, parseDuration } from "./duration.ts";
export { elapsed } from "./elapsed.ts";
export { Events, type Listener, Topic } from "./events.ts";
export { Fifo } from "./fifo.ts";
export { hostName } from "./host-name.ts";
export { meantName, nearestName } from "./nearest-name.ts";
export * as option from "./option.ts";
export { type Settings, settingsOf, type TableOf } from "./options.ts";
export { LONGEST_PAUSE_MS, type PauseEnd, pauseMsOf } from "./pause.ts";
export { type ParsedRate, parseRate, type Rate } from "./rate.ts";
export { metricsReadOf } from "./read-for-metrics.ts";
export { LIMITING_MS, resultOf, Tally } from "./tally.ts";
export { checkVersion, markVersion } from "./version.ts";
export { type QueueOptions, type Wait, type Waiter, WaitingQueue } from "./waiting-queue.ts";
export { whenAborted } from "./when-aborted.ts";

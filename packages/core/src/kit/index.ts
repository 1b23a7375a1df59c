/**
 * What every `@dt` package is made with: checks of options, durations and rates, deadlines, waiting and events. For our own packages, which are released together with
 * this one: what is here may change in any version, so nothing else should import it.
 */

export {
  checkDuration,
  checkInteger,
  checkKeys,
  checkName,
  checkRuntime,
  checkSignal,
  invalidOption,
} from "../options/check.ts";
export { type Duration, describe, parseDuration } from "../options/duration.ts";
export { nearestName } from "../options/nearest-name.ts";
export { whenAborted } from "../options/when-aborted.ts";
export { Fifo } from "../queue/fifo.ts";
export { type DeadlineOptions, withDeadline } from "../store/deadline.ts";
export { Events, type Listener, Topic } from "./events.ts";
export { type ParsedRate, parseRate, type Rate } from "./rate.ts";
export { type LineOptions, type Wait, type Waiter, WaitingLine, type WithoutTimeout } from "./waiting-line.ts";
export {
  type AnyMethod,
  type Gate,
  type PassOptions,
  type Wrap,
  type WrapOptions,
  type Wrapped,
  wrapWith,
} from "./wrap.ts";

import { checkKeys } from "@dt/core/kit";
import type { LimitAlgorithm, SampleWindow } from "./algorithm.ts";
import { BOUNDS_KEYS, checkBounds, type LimitBounds } from "./bounds.ts";
import { WaitControl, type WaitOptions, type WaitState } from "./wait-control.ts";
import { WINDOW } from "./window-length.ts";

export interface QueueWaitOptions extends LimitBounds, WaitOptions {}

const KEYS: ReadonlySet<string> = new Set([...BOUNDS_KEYS, "target", "least"]);

/**
 * The limit follows the wait that the callee itself reports (`CalleeReport.queueWaitMs`): it grows while calls wait
 * less than aimed at, and shrinks in proportion to what they wait more. Windows without any report change it only on
 * overload.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function queueWait(options: QueueWaitOptions = {}): LimitAlgorithm<WaitState> {
  checkKeys("options", options, KEYS);
  const control = new WaitControl(checkBounds(options), options);

  function next(before: WaitState, window: SampleWindow): WaitState {
    const state = control.see(before, window);
    const finding = control.find(state, window, window.queueWaitMs);
    if (window.reports === 0 && finding !== "overload") return state;
    return control.follow(state, finding, window, window.queueWaitMs, Number.POSITIVE_INFINITY);
  }

  return { name: "queue-wait", window: () => WINDOW, start: () => control.start(), next };
}

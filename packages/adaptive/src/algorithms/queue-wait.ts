import { settingsOf, type TableOf } from "@dt/core/internal";
import { type LimitAlgorithm, type SampleWindow, WINDOW } from "./algorithm.ts";
import { BOUNDS, boundsOf, type LimitBounds } from "./bounds.ts";
import { WAIT, WaitControl, type WaitOptions, type WaitState } from "./wait-control.ts";

/** Options of {@link queueWait}. */
export interface QueueWaitOptions extends LimitBounds, WaitOptions {}

const TABLE = { ...BOUNDS, ...WAIT } satisfies TableOf<QueueWaitOptions>;

/**
 * The limit follows the wait that the callee itself reports (`CalleeReport.queueWaitMs`). It grows while calls wait
 * less than the target. It shrinks in proportion to the time that they wait beyond the target. Windows without any
 * report change it only on overload.
 * @param options bounds and the target
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: queueWait({ max: 200 }) });
 */
export function queueWait(options: QueueWaitOptions = {}): LimitAlgorithm<WaitState> {
  const settings = settingsOf(TABLE, options);
  const control = new WaitControl(boundsOf(settings), settings);

  function next(before: WaitState, window: SampleWindow): WaitState {
    const state = control.see(before, window);
    const finding = control.find(state, window, window.queueWaitMs);
    if (window.reports === 0 && finding !== "overload") return state;
    return control.follow(state, finding, window, window.queueWaitMs, Number.POSITIVE_INFINITY);
  }

  return { name: "queue-wait", window: () => WINDOW, start: (learned) => control.start(learned), next };
}

import type { CoordinationStore, View } from "@dt/core";
import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";

/** A message takes from so long to so long, each way, in milliseconds. */
const FASTEST_MS = 0.5;
const SLOWEST_MS = 2.5;

/** One member's way to a store nearby: nothing is lost, everything takes a few milliseconds. Told of every call. */
export function nearStore(
  store: CoordinationStore,
  timeline: Timeline,
  random: Random,
  onCall: () => void,
): CoordinationStore {
  const later = (run: () => void): void => void timeline.after(random.between(FASTEST_MS, SLOWEST_MS), run);
  const far = <T>(run: () => Promise<T>): Promise<T> => {
    onCall();
    return new Promise((resolve, reject) => {
      later(() =>
        run().then(
          (value) => later(() => resolve(value)),
          (error: unknown) => later(() => reject(error)),
        ),
      );
    });
  };
  return {
    // Without hints: what shares by demand does not listen to them, and here nobody comes or goes.
    capabilities: { ...store.capabilities, hints: false },
    register: (group, registration) => far<View>(() => store.register(group, registration)),
    sync: (group, member, report) => far<View>(() => store.sync(group, member, report)),
    deregister: (group, member, farewell) => far<void>(() => store.deregister(group, member, farewell)),
    inspect: (group) => store.inspect(group),
    close: async () => {},
  };
}

import type { StoreTarget } from "@dt/conformance";
import { fixedSource, podCountCapabilities, podCountStore } from "@dt/pod-count";

/** A fleet whose size is given; no server. */
export const podCountTarget: StoreTarget = {
  name: "pod-count",
  capabilities: podCountCapabilities,
  sharesData: false,
  createStore: () => podCountStore({ source: fixedSource(3), ordinal: 1 }),
};

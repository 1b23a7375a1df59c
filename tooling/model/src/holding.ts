import { Holding } from "@dt/core/testing";

export { Holding };

/** What a `Holding` knows, as a value that can be kept and put back. */
export type HoldingState = Holding["state"];
export type Basis = HoldingState["current"];
export type Raise = HoldingState["raises"][number];

import { figure } from "../report/format.ts";
import {
  isMeasured,
  type MeasuredConvergence,
  type MeasuredSize,
  type NotMeasured,
  type StoreCostFigures,
  type StoreCosts,
} from "../store-costs/figures.ts";
import type { BarPlot, Panel } from "./bar-plot.ts";

/** The size of group that is shown: every store was measured with it. */
const MEMBERS = 100;

/** What a sync takes on each store, and what a join takes. */
export function storesPlot({ stores }: StoreCostFigures): BarPlot {
  const panel = <Size extends { readonly members: number }>(
    title: string,
    sizes: (store: StoreCosts) => readonly (Size | NotMeasured)[],
    ms: (size: Size) => number,
  ): Panel => ({
    title,
    scale: "powers",
    bars: stores.flatMap((store) => {
      const size = sizes(store).find(({ members }) => members === MEMBERS);
      if (size === undefined || !isMeasured<Size>(size)) return [];
      return [{ label: store.name, value: ms(size), shown: shownTime(ms(size)), look: "ours" }];
    }),
  });
  return {
    id: "store-costs",
    title: `Stores, with ${MEMBERS} members`,
    description: "How long one sync takes on each store, and how long it takes until all members agree after a join.",
    panels: [
      panel<MeasuredSize>(
        "One sync, median (scale of powers of ten)",
        ({ sizes }) => sizes,
        ({ latencyMs }) => latencyMs.median,
      ),
      panel<MeasuredConvergence>(
        "Until all agree after a join, median (powers of ten)",
        ({ convergence }) => convergence,
        ({ ms }) => ms.median,
      ),
    ],
  };
}

function shownTime(ms: number): string {
  return ms < 0.1 ? `${figure(1_000 * ms)} µs` : `${figure(ms)} ms`;
}

import { type Bar, barPlot } from "../plots/bar-plot.ts";
import type { NoisyNeighbour } from "./figures.ts";

/** p99 of the nine topics three ways, on a scale of powers of ten. */
export function noisyNeighbourChart({ quietP99Ms, signalP99Ms, pauseP99Ms }: NoisyNeighbour): string {
  const bars = [
    bar("no noise", quietP99Ms, "reference"),
    bar("signal", signalP99Ms, "ours"),
    bar("pause only", pauseP99Ms, "other"),
  ].flat();
  return barPlot({
    id: "signal",
    title: "Nine calm topics beside a noisy one",
    description: `99th percentile of the send latency: ${bars.map(({ label, shown }) => `${label} ${shown}`).join(", ")}.`,
    panels: [{ title: "p99 of the send latency (a scale of powers of ten)", scale: "powers", bars }],
  });
}

/** None where no message was confirmed. */
function bar(label: string, ms: number | null, look: Bar["look"]): Bar[] {
  return ms === null ? [] : [{ label, value: ms, shown: `${ms.toPrecision(3)} ms`, look }];
}

import type uPlot from "uplot";
import { ALARMING, type PlacedMarks, SIGNS } from "./marks.ts";

/** The colours of marks. */
export interface MarkColours {
  readonly calm: string;
  readonly alarming: string;
  /** Of what is under a sign. */
  readonly paper: string;
}

/** Draws events as vertical lines, each with its sign on top. @param ratio pixels of the canvas in one of the page */
export function drawMarks(plot: uPlot, marks: readonly PlacedMarks[], colours: MarkColours, ratio: number): void {
  const { ctx, bbox } = plot;
  const { x: scale } = plot.scales;
  const { min = 0, max = 0 } = scale ?? {};
  ctx.save();
  ctx.lineWidth = ratio;
  ctx.font = `${10 * ratio}px sans-serif`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const { time, what } of marks) {
    if (time < min || time > max) continue;
    const x = Math.round(plot.valToPos(time, "x", true)) + 0.5;
    const ink = ALARMING.has(what) ? colours.alarming : colours.calm;
    ctx.strokeStyle = ink;
    ctx.setLineDash(ALARMING.has(what) ? [] : [3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillStyle = ink;
    ctx.fillText(SIGNS[what], x, bbox.top - 7 * ratio);
  }
  ctx.restore();
}

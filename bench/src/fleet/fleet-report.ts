import { count, figure } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import type { FleetFigures } from "./fleet.ts";
import { offeredPerSecond } from "./plan.ts";

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

export function fleetReport({ plan, approaches }: FleetFigures): Report {
  const { callee, workers, offered, line, warmUpMs, measuredMs } = plan;
  const [busy, light] = [offeredPerSecond(plan, 0), offeredPerSecond(plan, 1)];
  const window = `${callee.windowMs / 1_000} s`;
  return {
    tables: [
      {
        title: `${workers} workers and a callee that allows ${count(callee.limit)} calls in any ${window}`,
        columns: [
          "approach",
          "of the limit used",
          "answered 429",
          "light workers wait: median, ms",
          "p99, ms",
          "busy worker waits: median, ms",
          "store commands a second and process",
          "store commands per call",
          `fullest ${window}`,
        ],
        rows: approaches.map((approach) => [
          approach.name,
          percent(approach.used),
          count(approach.rejected429),
          figure(approach.lightMedianWaitMs),
          figure(approach.lightP99WaitMs),
          figure(approach.busyMedianWaitMs),
          figure(approach.commandsPerSecond),
          figure(approach.commandsPerCall),
          percent(approach.fullestWindow),
        ]),
        notes: [
          `Each worker, the callee and Redis are processes of their own. Arrivals are random (Poisson, the same for all): ${figure(busy)} a second at the busy worker, ${figure(light)} at each of the others, together ${percent(offered)} of the limit. At most ${line} wait at a worker; whoever comes then is turned away.`,
          `The callee counts and decides, with the instant of every call it accepted. Measured for ${measuredMs / 1_000} s after ${warmUpMs / 1_000} s; 429s and the fullest window are of the whole run. A wait is from arrival to call.`,
          "Store commands are those that clients send, by Redis's own counters; commands that scripts call are left out.",
          ...approaches.map(
            ({ name, version, settings }) => `${name}${version === null ? "" : ` ${version}`}: ${settings}.`,
          ),
          `The machine's load at the end of each: ${approaches.map(({ load }) => load.toFixed(1)).join(", ")}.`,
        ],
      },
    ],
    targets: approaches
      .filter(({ name }) => name === "demand")
      .flatMap(({ name, used, rejected429, lightMedianWaitMs, commandsPerSecond }) => [
        atMost(`${name}: of the limit not used`, 1 - used, 0.04),
        atMost(`${name}: calls answered 429`, rejected429, 0),
        atMost(`${name}: median wait of the light workers, ms`, lightMedianWaitMs, 500),
        atMost(`${name}: store commands a second and process`, commandsPerSecond, 2),
      ]),
  };
}

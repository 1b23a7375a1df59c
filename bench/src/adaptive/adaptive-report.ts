import { figure } from "../report/format.ts";
import type { Report } from "../report/report.ts";
import { type AdaptiveFigures, SERVICE_MS, WORKERS } from "./adaptive.ts";

export function adaptiveReport({ stories }: AdaptiveFigures): Report {
  return {
    tables: stories.map(({ story, limiters }) => ({
      title: `${story[0]?.toUpperCase()}${story.slice(1)}`,
      columns: [
        "",
        "phase",
        "wanted/s",
        "answered in time/s",
        "turned away here",
        "not answered in time",
        "p50",
        "p99",
      ],
      rows: limiters.flatMap(({ limiter, phases }) =>
        phases.map(({ phase, wanted, goodput, shed, timeouts, p50Ms, p99Ms }, index) => [
          index === 0 ? limiter : "",
          phase,
          figure(wanted),
          figure(goodput),
          String(shed),
          String(timeouts),
          ms(p50Ms),
          ms(p99Ms),
        ]),
      ),
      notes: [
        `A real HTTP server in a process of its own: ${WORKERS} workers with ${SERVICE_MS} ms for each request, so ${(1_000 * WORKERS) / SERVICE_MS} calls a second, and one queue without a bound. Calls come at random, whether earlier ones were answered or not; a call waits 1 s for its answer, and the server works on it all the same.`,
      ],
    })),
    targets: [],
  };
}

const ms = (value: number): string => (Number.isFinite(value) ? `${figure(value)} ms` : "-");

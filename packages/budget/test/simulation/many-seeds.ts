/**
 * The fleet of llm-fleet.test.ts over many seeds, as a table.
 * `node --import ./tooling/bootstrap/src/from-sources.ts packages/budget/test/simulation/many-seeds.ts [seeds, 10]`
 */
import { type FleetFigures, type FleetOptions, llmFleet } from "../support/llm-fleet.ts";

const CASES: Readonly<Record<string, Omit<FleetOptions, "seed">>> = {
  "outputs are estimated": {},
  "and timers are 20 ms late": { lateMs: 20 },
  "estimates are wrong by 0.3 to 3": { wrongEstimates: true },
  "and timers are 20 ms late, too": { wrongEstimates: true, lateMs: 20 },
};

const seeds = Number(process.argv[2] ?? 10);
const line = (cells: readonly string[]): boolean => process.stdout.write(`| ${cells.join(" | ")} |\n`);

/** The least, the middle and the most. */
function spread(figures: readonly FleetFigures[], of: keyof FleetFigures, digits: number): string {
  const sorted = figures.map((one) => one[of]).sort((a, b) => a - b);
  return [0, Math.floor(sorted.length / 2), sorted.length - 1].map((at) => sorted[at]?.toFixed(digits)).join(", ");
}

line(["least, middle, most", "used, %", "refused", "light median, ms", "light p99, ms", "requests per call"]);
line(["---", "--:", "--:", "--:", "--:", "--:"]);
for (const [name, options] of Object.entries(CASES)) {
  const figures: FleetFigures[] = [];
  for (let seed = 1; seed <= seeds; seed++) figures.push(await llmFleet({ seed, ...options }));
  line([
    name,
    spread(figures, "used", 1),
    spread(figures, "refused", 0),
    spread(figures, "lightMedianMs", 0),
    spread(figures, "lightP99Ms", 0),
    spread(figures, "requestsPerCall", 2),
  ]);
}

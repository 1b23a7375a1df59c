import { parseArgs } from "node:util";
import { huntPermitBug } from "./hunt-permit-bug.ts";
import { PERMIT_BUGS } from "./permit-bugs.ts";
import { type PermitWorld, WORLDS } from "./worlds.ts";

/*
 * node --import ./tooling/bootstrap/src/from-sources.ts tooling/simulator/src/fleet/permits/main.ts
 *   [--seeds 1000] [--from 0] [--bugs]
 *   [--world clean|storm|busy|group-clean|group-storm|asleep|group-asleep]
 * Runs worlds of pacers, one for each seed and kind, and prints what failed. With --bugs puts each deliberate fault
 * in and looks for a seed that shows it.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "0" },
    world: { type: "string" },
    bugs: { type: "boolean", default: false },
  },
});
const seeds = Number(values.seeds);
const from = Number(values.from);

async function soak({ name, run: runSeed }: PermitWorld): Promise<void> {
  const started = performance.now();
  let failed = 0;
  let granted = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const run = await runSeed(seed);
    granted += run.granted;
    if (run.violations.length === 0) continue;
    failed += 1;
    const [first] = run.violations;
    console.log(`${name} ${seed}: ${run.violations.length} x, ${first?.rule}: ${first?.detail}`);
  }
  if (failed > 0) process.exitCode = 1;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${name}: ${seeds} seeds, ${granted} permits, ${failed} failed, ${seconds} s`);
}

if (values.bugs)
  for (const bug of PERMIT_BUGS) {
    const finding = await huntPermitBug(bug, seeds);
    if (!finding) process.exitCode = 1;
    console.log(`${bug.name}: ${finding ? `${finding.world} ${finding.seed}, ${finding.rule}` : "NOT FOUND"}`);
  }
else for (const world of WORLDS) if (values.world === undefined || values.world === world.name) await soak(world);

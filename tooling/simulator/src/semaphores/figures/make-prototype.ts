/**
 * Makes `prototype.tsv`: what the prototype of the semaphore measured on the same loads. Run it under Node 24 from the
 * root of the repository, with `--import ./tooling/bootstrap/src/from-sources.ts`. Its only argument is the folder of
 * `semaphore-sim.mjs` and `semaphore-protocol.mjs`.
 *
 * The prototype runs the ledger of the commit that it was written on, which is taken out of git (`DT_CORE_SRC`).
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SEMAPHORES } from "./cell.ts";
import { LOADS } from "./loads.ts";
import type { Setting } from "./network.ts";
import { NEAR, PARTS } from "./parts.ts";
import { COLUMNS, type PrototypeRow } from "./prototype.ts";

const CORE = "fa312413";
const SEEDS = [1, 2, 3];
/** Semaphores register with an interval of 1 ms (design: "V0 (interval 1 ms)"). */
const INTERVAL_MS = 1;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new TypeError("the folder of the prototype is missing; give it as the only argument");

const work = mkdtempSync(join(tmpdir(), "prototype-"));
try {
  const archive = execFileSync("git", ["archive", CORE, "packages/core/src"], { maxBuffer: 2 ** 28 });
  mkdirSync(join(work, "core"));
  execFileSync("tar", ["-x", "-C", join(work, "core")], { input: archive });
  const rows = PARTS.flatMap(({ groups, setting }) =>
    groups.flatMap((group) => SEEDS.flatMap((seed) => measured(group, setting, seed))),
  );
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? "-"))];
  writeFileSync(new URL("./prototype.tsv", import.meta.url), lines.map((line) => `${line.join("\t")}\n`).join(""));
} finally {
  rmSync(work, { recursive: true });
}

/** What it prints of one group of loads: a title for each load, and a line for each system. */
function measured(group: string, setting: Setting, seed: number): PrototypeRow[] {
  const isForRivals = LOADS.some((load) => load.group === group && !load.kills && !load.costs);
  const only = isForRivals ? [] : ["--only", SEMAPHORES.join()];
  const config = JSON.stringify({
    intervalMs: INTERVAL_MS,
    ...(setting.turnMs !== NEAR.turnMs && { turnMs: setting.turnMs }),
  });
  const text = execFileSync(
    process.execPath,
    [join(folder as string, "semaphore-sim.mjs"), group, "--seed", String(seed), "--cfg", config, ...only],
    {
      encoding: "utf8",
      env: {
        ...process.env,
        DT_CORE_SRC: join(work, "core/packages/core/src"),
        RTT: String(setting.rttMs),
        LOST: String(setting.lost),
      },
    },
  );
  const loads = LOADS.filter((load) => load.group === group);
  if (group === "crash")
    return text
      .trim()
      .split("\n")
      .map((line) => crashRow(line, { ...setting, seed }));
  return text
    .split("\n## ")
    .slice(1)
    .flatMap((part, place) => {
      const load = loads[place]?.name;
      if (load === undefined) throw new Error(`the prototype has more loads in ${group} than there are here: ${part}`);
      return part
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => rowOf(line, { load, seed, ...setting }));
    });
}

function rowOf(line: string, where: Omit<PrototypeRow, "system">): PrototypeRow {
  const number = (before: RegExp): number | null => {
    const found = new RegExp(`${before.source}\\s+([\\d.]+|-)`).exec(line)?.[1];
    if (found === undefined) throw new Error(`no ${before} in the prototype's line: ${line}`);
    return found === "-" ? null : Number(found);
  };
  const waits = /wait p50\s+([\d.]+|-) p99\s+([\d.]+|-) max\s+([\d.]+|-)/.exec(line);
  const hands = /hand p50\s+([\d.]+|-) p99\s+([\d.]+|-)/.exec(line);
  const lights = /light p50\s+([\d.]+|-) p99\s+([\d.]+|-)/.exec(line);
  if (!waits || !hands || !lights) throw new Error(`the prototype's line has no waits: ${line}`);
  const of = (text: string | undefined): number | null => (text === "-" ? null : Number(text));
  return {
    ...where,
    system: line.slice(0, 11).trim(),
    use: (number(/use/) ?? Number.NaN) / 100,
    commandsPerSlot: number(/cmds\/slot/),
    commandsPerSecond: number(/cmds\/s/),
    waitP50Ms: of(waits[1]),
    waitP99Ms: of(waits[2]),
    waitMostMs: of(waits[3]),
    handP50Ms: of(hands[1]),
    handP99Ms: of(hands[2]),
    lightP50Ms: of(lights[1]),
    lightP99Ms: of(lights[2]),
    jain: number(/Jain/),
    slots: Number(/slots (\d+)$/.exec(line)?.[1]),
  };
}

function crashRow(line: string, where: Omit<PrototypeRow, "system" | "load">): PrototypeRow {
  const found = /^(.+?) killed while holding \d+: .* after (\d+) ms$/.exec(line);
  if (!found) throw new Error(`the prototype's line of a crash is another one: ${line}`);
  return { load: "crash", system: found[1] as string, ...where, backMs: Number(found[2]) };
}

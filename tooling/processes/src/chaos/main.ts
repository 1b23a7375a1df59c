/** `npm run -s chaos`: see `options.ts` for what it does. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkHistory, type HistoryFacts } from "./history/check-history.ts";
import { readLogs } from "./history/read-logs.ts";
import type { Violation } from "./history/violation.ts";
import { HELP, type Options, parseOptions } from "./options.ts";
import type { ChaosResult } from "./run/result.ts";
import { FACTS, runChaos } from "./run/run-chaos.ts";
import type { StoreName } from "./targets/index.ts";
import { Interrupted, untilInterrupted } from "./until-interrupted.ts";

const MINUTE_MS = 60_000;
/** The whole result, beside the logs. */
const RESULT = "result.json";
/** Violations shown; the logs have all. */
const SHOWN = 20;

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const show = (value: unknown): void => print(JSON.stringify(value, null, 2));

const options = parsed();
if (options !== undefined) {
  try {
    process.exitCode = await untilInterrupted((signal) => main(options, signal));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    say(error.message);
    process.exitCode = error.exitCode;
  }
}

function parsed(): Options | undefined {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    say(`${(error as Error).message}\n\n${HELP}`);
    process.exitCode = 2;
    return undefined;
  }
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  if (options.command === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  if (options.command === "check") return checkAgain(resolve(options.folder));
  let code = 0;
  for (const store of options.stores) if (!(await runStore(store, options, signal))) code = 1;
  return code;
}

/** One store's run; true without a violation. */
async function runStore(
  store: StoreName,
  { minutes, seed, workers, shares, logs, json }: Options & { command: "run" },
  signal: AbortSignal,
): Promise<boolean> {
  const folder = logs === undefined ? await mkdtemp(join(tmpdir(), `dt-chaos-${store}-`)) : resolve(logs, store);
  await mkdir(folder, { recursive: true });
  let keep = logs !== undefined;
  try {
    say(`${store}: ${minutes} minutes, seed ${seed}, ${workers} workers, shares ${shares}`);
    const { result, findings } = await runChaos(
      { store, durationMs: minutes * MINUTE_MS, seed, workers, shares, folder, say },
      signal,
    );
    if (json) print(JSON.stringify(brief(result)));
    else show(result);
    await writeFile(join(folder, RESULT), `${JSON.stringify(result, null, 2)}\n`);
    complain(findings.violations);
    if (findings.violations.length > 0) keep = true;
    if (keep) say(`logs: ${folder}`);
    return findings.violations.length === 0;
  } finally {
    if (!keep) await rm(folder, { recursive: true, force: true });
  }
}

async function checkAgain(folder: string): Promise<number> {
  const facts = JSON.parse(await readFile(join(folder, FACTS), "utf8")) as HistoryFacts;
  const { violations, overshoots, epochs, ...numbers } = checkHistory(await readLogs(folder), facts);
  show({ ...numbers, epochs: epochs.length, overshoots: overshoots.length, violations: violations.length });
  complain([...violations, ...overshoots]);
  return violations.length === 0 ? 0 : 1;
}

function brief({ store, shares, minutes, grants, faults, violations, worstEpoch, max }: ChaosResult) {
  return { store, shares, minutes, grants, faults, violations, worstEpoch, max };
}

function complain(violations: readonly Violation[]): void {
  for (const { rule, boot, detail } of violations.slice(0, SHOWN)) say(`VIOLATION ${rule}, ${boot}: ${detail}`);
}

/** `npm run -s soak`: see `soak/options.ts` for what it does. */

import { changeNamed } from "./bugs/catalogue.ts";
import { hunt } from "./bugs/hunt.ts";
import { distributions } from "./scale/distributions.ts";
import { runScale } from "./scale/run-scale.ts";
import { HELP, parseOptions, type SoakOptions } from "./soak/options.ts";
import { replay, showShortest } from "./soak/replay.ts";
import { soak } from "./soak/soak.ts";
import { briefly, summarise } from "./soak/summary.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(text);

/** Failing seeds whose shortest schedule is shown without being asked for. */
const SHOWN = 3;

// A reader that has seen enough, such as `head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  process.exitCode = await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  say(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

async function main(options: SoakOptions): Promise<number> {
  if (options.command === "help") {
    print(HELP);
    return 0;
  }
  if (options.command === "bugs") {
    const findings = await hunt(options, say);
    print(`${JSON.stringify(findings, null, options.json ? 0 : 2)}\n`);
    return findings.some((finding) => finding.seed === null) ? 1 : 0;
  }
  if (options.with !== undefined) changeNamed(options.with);
  if (options.command === "scale") {
    const report = await runScale(options.size, say);
    print(`${JSON.stringify(report, null, options.json ? 0 : 2)}\n`);
    return report.violations.length > 0 ? 1 : 0;
  }
  if (options.command === "distributions") {
    const report = await distributions(options.seeds);
    print(`${JSON.stringify(report, null, options.json ? 0 : 2)}\n`);
    return 0;
  }
  if (options.seed !== undefined) {
    const outcome = await replay(options.seed, options, options.json ? say : (line) => print(`${line}\n`));
    if (options.json) print(`${JSON.stringify(outcome)}\n`);
    return outcome.violations.length > 0 ? 1 : 0;
  }
  const summary = summarise(options.profile, await soak(options, say));
  for (const seed of summary.failingSeeds.slice(0, SHOWN)) await showShortest(seed, options, say);
  print(options.json ? `${JSON.stringify(briefly(summary))}\n` : `${JSON.stringify(summary, null, 2)}\n`);
  return summary.violations > 0 ? 1 : 0;
}

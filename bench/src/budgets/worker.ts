/** One process of the fleet: `node worker.ts '<settings as JSON>'`. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isDtError } from "@dt/core";
import { drawOutput, MEAN_OUTPUT } from "@dt-tooling/backends/callee/output-tokens";
import { Random } from "@dt-tooling/simulator/random";
import { hear, localMs, tell } from "../processes/child-side.ts";
import { approaches } from "./approaches.ts";
import type { Stretch, WorkerReport, WorkerSettings } from "./plan.ts";

const MOST_OUTPUT = 400;
/** A prompt has so many tokens at least, and fewer than so many more. */
const PROMPT = { least: 20, spread: 61 };

const settings = JSON.parse(process.argv[2] ?? "") as WorkerSettings;
const { calleeUrl, holdMs, perSecond, greedyCalls, quota, worker } = settings;
const approach = approaches.find(({ name }) => name === settings.approach);
if (approach === undefined) throw new Error(`there is no approach ${settings.approach}`);
const agent = new Agent({ keepAlive: true });
const budget = await approach.open(settings);
tell("ready");
const stretch = await hear<Stretch>();
const [beginMs, fromMs, toMs] = [stretch.beginMs, stretch.fromMs, stretch.toMs].map(localMs) as [
  number,
  number,
  number,
];

const random = new Random(worker + 1, "calls");
const waitsMs: number[] = [];
const errors: string[] = [];
let givenUp = 0;
const isOver = (): boolean => performance.now() >= toMs;

/** One call from asking to its settlement. */
async function ask(askedMs: number): Promise<void> {
  const prompt = PROMPT.least + Math.floor(PROMPT.spread * random.next());
  const output = drawOutput(MOST_OUTPUT, () => random.next());
  let refused = false;
  try {
    await budget.run(prompt + MEAN_OUTPUT, async () => {
      const nowMs = performance.now();
      if (nowMs >= fromMs && nowMs < toMs) waitsMs.push(nowMs - askedMs);
      refused = !(await call(prompt, output));
      return refused ? 0 : prompt + output;
    });
  } catch (error) {
    if (isDtError(error, "DT_STORE_SLOW")) givenUp += 1;
    else if (!isOver()) errors.push(String(error));
  }
  if (refused) await sleep(quota.windowMs / 60);
}

/** False for a call that was refused. Never rejects: what is no answer is an error of the run. */
function call(prompt: number, output: number): Promise<boolean> {
  const [shortest, longest] = holdMs;
  const forMs = shortest + (longest - shortest) * random.next();
  return new Promise((resolve) => {
    const failed = (what: unknown): void => {
      if (!isOver()) errors.push(String(what));
      resolve(false);
    };
    request(`${calleeUrl}/${prompt}/${output}/${Math.round(forMs)}`, { agent }, (response) => {
      response.resume();
      response.on("error", failed);
      response.on("end", () => resolve(response.statusCode === 200));
    })
      .on("error", failed)
      .end();
  });
}

await sleep(beginMs - performance.now());
if (perSecond === null)
  for (let n = 0; n < greedyCalls; n++)
    void (async () => {
      while (!isOver()) await ask(performance.now());
    })();
else
  while (!isOver()) {
    await sleep((-Math.log(1 - random.next()) * 1_000) / perSecond);
    void ask(performance.now());
  }
while (!isOver()) await sleep(toMs - performance.now());
const report: WorkerReport = { waitsMs, givenUp, errors };
tell(report);

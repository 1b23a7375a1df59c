/** One worker of the fleet, in a process of its own: `node worker.ts '<settings as JSON>'`. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "@dt-tooling/simulator/random";
import { hear, localMs, tell } from "../processes/child-side.ts";
import { approaches } from "./approaches.ts";
import type { Stretch, WorkerReport, WorkerSettings } from "./plan.ts";

const settings = JSON.parse(process.argv[2] ?? "") as WorkerSettings;
const approach = approaches.find(({ name }) => name === settings.approach);
if (approach === undefined) throw new Error(`there is no approach ${settings.approach}`);
const agent = new Agent({ keepAlive: true });
const limiter = await approach.open(settings);
tell("ready");
const stretch = await hear<Stretch>();
const [fromMs, toMs] = [localMs(stretch.fromMs), localMs(stretch.toMs)];

const calls = { accepted: 0, refused: 0 };
const waitsMs: number[] = [];
const errors: string[] = [];
/** When those came who wait. */
const waiting = new Set<{ readonly cameMs: number }>();
const underWay = new Set<Promise<void>>();
let turnedAway = 0;
let over = false;

const random = new Random(settings.seed, `arrivals at ${settings.worker}`);
const untilMs = (atMs: number): number => atMs - performance.now();
const gapMs = (): number => (-Math.log(1 - random.next()) * 1_000) / settings.perSecond;
for (let dueMs = localMs(stretch.beginMs) + gapMs(); dueMs < toMs; dueMs += gapMs()) {
  // A timer may fire a little early.
  for (let leftMs = untilMs(dueMs); leftMs > 0; leftMs = untilMs(dueMs)) await sleep(Math.ceil(leftMs));
  void arrive(dueMs);
}
await sleep(Math.max(0, untilMs(toMs)));
over = true;
for (const { cameMs } of waiting) if (cameMs >= fromMs) waitsMs.push(toMs - cameMs);
await Promise.all(underWay);
const report: WorkerReport = { calls, waitsMs, turnedAway, errors };
tell(report);

async function arrive(cameMs: number): Promise<void> {
  const place = { cameMs };
  waiting.add(place);
  try {
    const entered = await limiter.run(async () => {
      waiting.delete(place);
      if (over) return;
      if (cameMs >= fromMs) waitsMs.push(performance.now() - cameMs);
      const answered = call();
      underWay.add(answered);
      await answered;
      underWay.delete(answered);
    });
    if (!entered && cameMs >= fromMs) turnedAway += 1;
  } catch (error) {
    if (!over) errors.push(String(error));
  } finally {
    waiting.delete(place);
  }
}

/** Never rejects: what is no answer is an error of the run. */
function call(): Promise<void> {
  return new Promise((resolve) => {
    const failed = (what: unknown): void => {
      errors.push(String(what));
      resolve();
    };
    request(`${settings.calleeUrl}/${settings.worker}`, { agent }, (response) => {
      response.resume();
      response.on("error", failed);
      response.on("end", () => {
        if (response.statusCode === 200) calls.accepted += 1;
        else if (response.statusCode === 429) calls.refused += 1;
        else errors.push(`answered ${response.statusCode}`);
        resolve();
      });
    })
      .on("error", failed)
      .end();
  });
}

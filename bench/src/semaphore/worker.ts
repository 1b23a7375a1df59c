/** One process of the fleet: `node worker.ts '<settings as JSON>'`. */
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "@dt-tooling/simulator/random";
import { hear, tell } from "../processes/child-side.ts";
import { approaches } from "./approaches.ts";
import type { Kind, Stretch, WorkerReport, WorkerSettings } from "./plan.ts";

const settings = JSON.parse(process.argv[2] ?? "") as WorkerSettings;
const approach = approaches.find(({ name }) => name === settings.approach);
if (approach === undefined) throw new Error(`there is no approach ${settings.approach}`);

/** The same for all processes of this machine, in milliseconds. */
const wallMs = (): number => performance.timeOrigin + performance.now();
const agent = new Agent({ keepAlive: true });
const waitsMs: Record<Kind, number[]> = { busy: [], light: [] };
const errors: string[] = [];
let stretch: Stretch = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** The call itself. Never rejects: what is no answer is an error of the run. */
function call(kind: Kind, askedMs: number): Promise<void> {
  const nowMs = wallMs();
  if (nowMs >= stretch.fromMs && nowMs < stretch.toMs) waitsMs[kind].push(nowMs - askedMs);
  return new Promise((resolve) => {
    const failed = (what: unknown): void => {
      errors.push(String(what));
      resolve();
    };
    request(settings.calleeUrl, { agent }, (response) => {
      response.resume();
      response.on("error", failed);
      response.on("end", resolve);
    })
      .on("error", failed)
      .end();
  });
}

const limiter = await approach.open(settings, call);
tell("ready");
stretch = await hear<Stretch>();
const isOver = (): boolean => wallMs() >= stretch.toMs;
const ask = (kind: Kind): Promise<void> =>
  limiter.ask(kind, wallMs()).catch((error: unknown) => {
    if (!isOver()) errors.push(String(error));
  });

for (let caller = 0; caller < settings.callers; caller++)
  void (async () => {
    while (!isOver()) await ask("busy");
  })();
const random = new Random(settings.worker + 1, "light calls");
if (settings.callers === 0)
  while (!isOver()) {
    await sleep(-Math.log(1 - random.next()) * settings.lightEveryMs);
    if (!isOver()) void ask("light");
  }
while (!isOver()) await sleep(stretch.toMs - wallMs());
const report: WorkerReport = { waitsMs, errors };
tell(report);

/** A process that uses many keys once each: `node memory-worker.ts '<settings as JSON>'`. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hear, tell } from "../processes/child-side.ts";
import { approaches } from "./approaches.ts";
import type { HeapReport } from "./memory.ts";
import type { WorkerSettings } from "./plan.ts";

const AT_ONCE = 500;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heap(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

const settings = JSON.parse(process.argv[2] ?? "") as WorkerSettings;
const approach = approaches.find(({ name }) => name === settings.approach);
if (approach === undefined) throw new Error(`there is no approach ${settings.approach}`);
const limits = await approach.open(settings);
await limits.check("first");
tell(heap());
await hear();
const beganMs = performance.now();
let [next, mostHeap] = [0, 0];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < settings.plan.memoryKeys) {
      next += 1;
      if (next % 100_000 === 0) mostHeap = Math.max(mostHeap, heap());
      await limits.check(`once-${next}`);
    }
  }),
);
const report: HeapReport = { tookMs: performance.now() - beganMs, mostHeap: Math.max(mostHeap, heap()) };
tell(report);
await hear();
tell(heap());
await hear();

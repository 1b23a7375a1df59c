import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FleetProcess } from "../processes/child-process.ts";
import { startOwnRedis } from "../stores/own-redis.ts";
import type { Approach } from "./approaches.ts";
import type { KeysPlan, WorkerSettings } from "./plan.ts";

/** What the keys that were used once each cost, in bytes. */
export interface MemoryFigures {
  readonly keys: number;
  /** Keys used in a second. */
  readonly keysPerSecond: number;
  /** The most that Redis kept at once, and for how many keys. */
  readonly mostInRedis: number;
  readonly mostKeysInRedis: number;
  /** For each of those keys. */
  readonly bytesPerKeyInRedis: number;
  /** What Redis has more than before, a minute after the last key. */
  readonly leftInRedis: number;
  readonly keysLeftInRedis: number;
  /** What the heap of the process had more than before at most, and a minute after. */
  readonly mostInHeap: number;
  readonly leftInHeap: number;
}

/** What the worker reports of itself. */
export interface HeapReport {
  readonly tookMs: number;
  readonly mostHeap: number;
}

const EVERY_MS = 250;
const AFTER_MS = 60_000;

/** Uses so many keys once each in one process, and looks at what is left. */
export async function measureMemory(approach: Approach, plan: KeysPlan): Promise<MemoryFigures> {
  const { server, admin } = await startOwnRedis();
  const settings = { approach: approach.name, redisUrl: server.url, worker: 0, plan } satisfies WorkerSettings;
  const worker = new FleetProcess(join(import.meta.dirname, "memory-worker.ts"), [JSON.stringify(settings)]);
  const usedMemory = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await admin.info("memory"))?.[1]);
  try {
    const heapBefore = await worker.hear<number>();
    const before = await usedMemory();
    let [most, mostKeys, done] = [before, 0, false];
    worker.tell({});
    const watch = (async () => {
      while (!done) {
        const [used, keys] = [await usedMemory(), await admin.dbsize()];
        if (keys > mostKeys) [most, mostKeys] = [used, keys];
        await sleep(EVERY_MS);
      }
    })();
    const { tookMs, mostHeap } = await worker.hear<HeapReport>();
    done = true;
    await watch;
    const untilMs = performance.now() + (plan.memoryKeys >= 100_000 ? AFTER_MS : 15_000);
    // Redis forgets by itself, a few keys at a time.
    while (performance.now() < untilMs && (await admin.dbsize()) > 0) await sleep(EVERY_MS);
    worker.tell({});
    const heapAfter = await worker.hear<number>();
    return {
      keys: plan.memoryKeys,
      keysPerSecond: plan.memoryKeys / (tookMs / 1_000),
      mostInRedis: most - before,
      mostKeysInRedis: mostKeys,
      bytesPerKeyInRedis: mostKeys === 0 ? 0 : (most - before) / mostKeys,
      leftInRedis: (await usedMemory()) - before,
      keysLeftInRedis: await admin.dbsize(),
      mostInHeap: mostHeap - heapBefore,
      leftInHeap: heapAfter - heapBefore,
    };
  } finally {
    await worker.stop();
    admin.disconnect();
    await server.stop();
  }
}

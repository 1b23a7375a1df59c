// A real process that takes permits as fast as it gets them and makes an HTTP request with each. Says "ready", waits
// for "go", says "used" for each permit, and on "stop" gives back what it has and says what it was answered.
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { createPacer, isDtError, type PermitLedger } from "@dt/core";
import type { WorkerReport, WorkerSettings } from "../settings.ts";
import { RecordingLedger } from "./recording-ledger.ts";

const settings = JSON.parse(process.argv[2] as string) as WorkerSettings;
const { worker, key, everyMs, maxReserved, callers, permitTtl, port } = settings;
const module = (await import(settings.module)) as Record<string, (options: object) => PermitLedger & AsyncDisposable>;
const store = (module[settings.factory] as NonNullable<(typeof module)[string]>)(settings.store);
const ledger = new RecordingLedger(store);
const pacer = createPacer({ key, store: ledger, every: everyMs, maxReserved, permitTtl, storeTimeout: "10s" });
const agent = new Agent({ keepAlive: true });
const errors: string[] = [];
const lateMs: number[] = [];
let used = 0;
let stopping = false;

function call(): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: `/${worker}`, agent }, (response) => {
      response.resume();
      response.on("end", resolve);
    })
      .on("error", reject)
      .end();
  });
}

async function caller(): Promise<void> {
  while (!stopping) {
    try {
      const permit = await pacer.acquire();
      used += 1;
      if (permit) lateMs.push(permit.lateMs);
      const answered = call();
      process.stdout.write("used\n");
      await answered;
    } catch (error) {
      if (stopping && isDtError(error, "DT_STOPPED")) return;
      errors.push(String(error));
      if (errors.length > 20) return;
    }
  }
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
// Connects, and makes what is missing in the store. While twenty processes start on a small machine that may take
// longer than a deadline.
for (let attempt = 1; ; attempt++) {
  try {
    await store.release("warm-up", { id: "none", keep: 0 });
    break;
  } catch (error) {
    if (attempt === 5) throw error;
  }
}
process.stdout.write("ready\n");
await lines.next();
const running = Promise.all(Array.from({ length: callers }, caller));
await lines.next();
stopping = true;
await pacer.stop();
await running;
await store[Symbol.asyncDispose]();
agent.destroy();
const report: WorkerReport = {
  worker,
  reserved: ledger.reserved,
  used,
  lateMs,
  wasted: pacer.wasted,
  errors: [...ledger.errors, ...errors],
};
process.stdout.write(`report ${JSON.stringify(report)}\n`, () => process.exit(0));

/**
 * One of several processes that call a service as fast as they may. They know that it takes no more than 1,000 calls a
 * second, and not how many it really takes:
 *
 *     node fleet-that-finds-a-limit.ts <url> <file> <seconds>
 *
 * Start it several times with the same file. The throttle divides the 1,000 among the processes; the adaptive rate caps
 * it at what the service turns out to take.
 */
import { createAdaptiveRate } from "@dt/adaptive";
import { createThrottle } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const [url = "http://127.0.0.1:8080", path = "limits.db", seconds = "20"] = process.argv.slice(2);

const store = sqliteStore({ path });
const throttle = createThrottle({ name: "service", max: 1_000, release: "even", store });
const rate = createAdaptiveRate({ throttle });

const get = rate.wrap(async () => {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response;
});

const end = performance.now() + Number(seconds) * 1_000;
let sent = 0;
let taken = 0;

/** Calls as often as it may, one call after the other. */
async function caller(): Promise<void> {
  while (performance.now() < end) {
    const { status } = await get();
    sent += 1;
    if (status === 200) taken += 1;
  }
}

const report = setInterval(() => {
  const { level, share, members } = throttle.status();
  console.log(JSON.stringify({ sent, taken, level: Math.round(level), share, members }));
}, 1_000);
await Promise.all(Array.from({ length: 30 }, caller));
clearInterval(report);

rate.stop();
await throttle.stop();
await store.close();

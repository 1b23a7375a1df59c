import { setTimeout } from "node:timers/promises";
import { createThrottle } from "@dt/core";
import { redisStore } from "@dt/redis";

const store = redisStore({ url: process.env.REDIS_URL ?? "redis://localhost:6379" });
const throttle = createThrottle({ name: "payments", rate: "10/s", store });

const seconds = (ms) => `${Math.round(ms / 1_000)} s`;
throttle.on("validityLost", ({ silentMs }) => console.log(`the store is lost: silent for ${seconds(silentMs)}`));
throttle.on("validityRegained", ({ lostMs }) => console.log(`the store is back, after ${seconds(lostMs)} more`));

const ending = new AbortController();
process.once("SIGINT", () => ending.abort());

let before;
while (!ending.signal.aborted) {
  const outcome = await throttle.acquire(1, { timeout: "10s" }).then(
    () => "calls go on",
    ({ code }) => `calls reject with ${code}`,
  );
  if (outcome !== before) console.log(outcome);
  before = outcome;
  await setTimeout(50);
}
await throttle.stop();
await store.close();

import { readFileSync } from "node:fs";
import { createThrottle } from "@dt/core";
import { startRedis, until } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { redisStore } from "../src/index.ts";

const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8");

it("the rehearsal of docs/operations.md: the store stands still, callers see it after the validity, and all goes on", {
  timeout: 120_000,
}, async ({ onTestFinished }) => {
  const [, command = ""] = /^redis-cli (client pause \d+ all)$/m.exec(page) ?? [];
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const admin = new Redis(server.url);
  onTestFinished(async () => admin.disconnect());
  const store = redisStore({ url: server.url });
  onTestFinished(() => store.close());
  const throttle = createThrottle({ name: "payments", max: 100, store });
  onTestFinished(() => throttle.stop());
  const happened: string[] = [];
  let silentMs = 0;
  throttle.on("storeError", () => happened.push("storeError"));
  throttle.on("validityLost", (lost) => {
    happened.push(`validityLost, ${lost.policy}`);
    silentMs = lost.silentMs;
  });
  throttle.on("validityRegained", () => happened.push("validityRegained"));
  await throttle.acquire();
  const { memberId } = throttle.status();

  const [name = "", ...args] = command.split(" ");
  await admin.call(name, ...args);
  await until("it grants nothing", 30_000, () => happened.includes("validityLost, stop") && !throttle.tryAcquire());
  expect(silentMs).toBeGreaterThanOrEqual(6_750);
  await until("the store answers again", 60_000, () => happened.includes("validityRegained"));
  await throttle.acquire(1, { timeout: "20s" });
  expect([...new Set(happened)]).toEqual(["storeError", "validityLost, stop", "validityRegained"]);
  expect(throttle.status()).toMatchObject({ state: "running", memberId });
});

import { startRedis } from "@dt-tooling/backends";
import { startProvider } from "@dt-tooling/backends/callee/provider";
import { Queue, QueueEvents } from "bullmq";
import { expect, it, onTestFinished } from "vitest";
import { start } from "./support/program.ts";

const JOBS = 20;

it("a worker of BullMQ that is lost before it has settled: the next one settles by the id of the lease", {
  timeout: 180_000,
}, async () => {
  const redis = await startRedis({ control: true });
  onTestFinished(() => redis.stop());
  const provider = await startProvider({ requests: "600/min", tokens: "3000/min", takesMs: 50, tokenTakesMs: 0 });
  onTestFinished(() => provider[Symbol.asyncDispose]());
  const connection = { url: redis.url };
  const queue = new Queue("questions", { connection });
  queue.setMaxListeners(2 * JOBS);
  const events = new QueueEvents("questions", { connection });
  onTestFinished(async () => {
    await Promise.all([queue.close(), events.close()]);
  });
  await events.waitUntilReady();

  const lost = await queue.add("ask", { prompt: "Who settles this?" });
  const first = start("bullmq-worker", redis.url, provider.url, "crash");
  await first.ended;
  expect(await provider.stats()).toMatchObject({ accepted: 1 });

  const second = start("bullmq-worker", redis.url, provider.url);
  const jobs = await queue.addBulk(
    Array.from({ length: JOBS }, (_, n) => ({ name: "ask", data: { prompt: `${n}?` } })),
  );
  const answers: unknown[] = await Promise.all([lost, ...jobs].map((job) => job.waitUntilFinished(events)));
  second.child.kill("SIGTERM");
  const { output, code } = await second.ended;

  const stats = await provider.stats();
  expect(stats).toMatchObject({ received: JOBS + 1, accepted: JOBS + 1, refused: 0 });
  expect(stats.peakTokensPercent).toBeLessThanOrEqual(100);
  expect(answers.join("")).toHaveLength(4 * stats.outputTokens);
  expect([code, JSON.parse(output)]).toEqual([0, { granted: JOBS, spent: stats.promptTokens + stats.outputTokens }]);
});

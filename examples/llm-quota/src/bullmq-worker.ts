/**
 * A worker of BullMQ, one of several, whose calls are made in a budget on the same Redis:
 *
 *     node bullmq-worker.ts <redis url> <callee url> [crash]
 *
 * The id of a call's lease is kept with the job. So the process that takes over the job of a lost one settles what that
 * one had spent. With `crash` the worker ends between an answer and its settlement, as after a power cut.
 */
import { createBudget } from "@dt/budget";
import { redisStore } from "@dt/redis";
import { type Job, Worker } from "bullmq";

/** A job: a question, and how far it has come. */
interface Question {
  readonly prompt: string;
  readonly leaseId?: string;
  readonly completion?: Completion;
}

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly total_tokens: number };
}

const [url = "redis://localhost:6379", callee = "http://localhost:8080/", crash] = process.argv.slice(2);

const store = redisStore({ url });
const limits = { requests: { rate: "600/min" }, tokens: { rate: "3000/min", burst: 3_000 } } as const;
const budget = createBudget({ name: "llm", limits, store });

async function complete(prompt: string): Promise<Completion> {
  const body = JSON.stringify({ messages: [{ role: "user", content: prompt }], max_tokens: 100 });
  const response = await fetch(`${callee}v1/chat/completions`, { method: "POST", body });
  budget.learn(response);
  if (!response.ok) throw new Error(`the callee answers ${response.status}`);
  return (await response.json()) as Completion;
}

async function answer(job: Job<Question>): Promise<string | undefined> {
  const { prompt, leaseId, completion } = job.data;
  if (leaseId !== undefined && completion !== undefined) {
    // An earlier process made the call. It may not have settled it, and the first settlement counts.
    budget.settle(leaseId, { tokens: completion.usage.total_tokens });
    return completion.choices[0]?.message.content;
  }
  const made = await budget.run(
    async ({ id }) => {
      await job.updateData({ prompt, leaseId: id });
      const completion = await complete(prompt);
      await job.updateData({ prompt, leaseId: id, completion });
      if (crash === "crash") process.kill(process.pid, "SIGKILL");
      return completion;
    },
    { cost: { tokens: { input: prompt.length / 4, output: { most: 100 } } } },
  );
  return made.choices[0]?.message.content;
}

// Jobs of a lost worker are taken over after the time of its lock.
const worker = new Worker<Question>("questions", answer, {
  connection: { url },
  concurrency: 4,
  lockDuration: 5_000,
  stalledInterval: 1_000,
});

process.once("SIGTERM", async () => {
  await worker.close(); // The jobs in its hands are done.
  await budget.drain();
  const {
    calls: { granted },
    limits,
  } = budget.status();
  console.log(
    JSON.stringify({ granted, spent: limits["tokens"] && limits["tokens"].max - (limits["tokens"].rest ?? 0) }),
  );
  await store.close();
});

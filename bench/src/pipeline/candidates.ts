import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PipelineOptions, Sink } from "@dt/pipeline";

/** A way to make a call for each record, so many at once. */
export interface Candidate {
  readonly name: string;
  /** The npm package it comes from; undefined for ours. */
  readonly package?: string;
  readonly configuration: string;
  /** Makes ready what is not part of the work, such as a throttle that has its first token. */
  open(): Promise<Opened>;
}

export interface Opened {
  /** Resolves when all calls have ended. */
  run(records: AsyncIterable<number>, call: (record: number) => Promise<unknown>): Promise<void>;
  close?(): Promise<void>;
}

/** Calls that are under way at once, everywhere. */
export const AT_ONCE = 16;

const pLimit: Candidate = {
  name: "p-limit",
  package: "p-limit",
  configuration: `pLimit(${AT_ONCE}), a task for each record; knows no outcome, writes nothing`,
  async open() {
    const { default: create } = await import("p-limit");
    return {
      async run(records, call) {
        const limit = create(AT_ONCE);
        const tasks: Promise<unknown>[] = [];
        for await (const record of records) tasks.push(limit(() => call(record)));
        await Promise.all(tasks);
      },
    };
  },
};

const bare: Candidate = {
  name: "@dt/pipeline, nothing but calls",
  configuration: `concurrency ${AT_ONCE}, rejection false, no outputs: every call is classified and counted`,
  open: async () => ({ run: (records, call) => pipeline(records, call, { rejection: false }) }),
};

const usual: Candidate = {
  name: "@dt/pipeline, throttled",
  configuration: `concurrency ${AT_ONCE}, the adaptive throttle as it is by default, and a throttle on a MemoryStore that always has a token`,
  async open() {
    const { createThrottle, MemoryStore } = await import("@dt/core");
    const throttle = createThrottle({ name: "bench", max: 10_000_000, store: new MemoryStore() });
    await throttle.start();
    await throttle.acquire(1);
    return { run: (records, call) => pipeline(records, call, { throttle }), close: () => throttle.stop() };
  },
};

/** The one whose memory is looked at. */
export const whole: Candidate = {
  name: "@dt/pipeline, with files",
  configuration: `concurrency ${AT_ONCE}, the adaptive throttle, a JSONL file for each of the three outputs, a checkpoint every second or 500 records`,
  open: async () => ({
    async run(records, call) {
      const { jsonlFile, openCheckpoint } = await import("@dt/pipeline");
      const base = join(tmpdir(), `dt-bench-${process.pid}`);
      const [ok, later, bad, path] = ["ok", "later", "bad", "checkpoint"].map((name) => `${base}.${name}`) as Four;
      try {
        const checkpoint = await openCheckpoint({ path, input: "numbers" });
        const [success, throttled, error] = [ok, later, bad].map((file) => jsonlFile({ path: file })) as Outputs;
        await pipeline(checkpoint.resume(records), call, { success, throttled, error, checkpoint });
      } finally {
        for (const file of [ok, later, bad, path]) await rm(file, { force: true });
      }
    },
  }),
};

type Outputs = [Sink, Sink, Sink];
type Four = [string, string, string, string];

async function pipeline(
  records: AsyncIterable<number>,
  call: (record: number) => Promise<unknown>,
  options: PipelineOptions<number, unknown>,
): Promise<void> {
  const { throttled } = await import("@dt/pipeline");
  const last = await throttled(records, call, { concurrency: AT_ONCE, ...options }).run();
  if (last.success !== last.read) throw new Error(`${last.success} of ${last.read} records succeeded`);
}

/** The first is what the others are compared with. */
export const candidates: readonly Candidate[] = [pLimit, bare, usual, whole];

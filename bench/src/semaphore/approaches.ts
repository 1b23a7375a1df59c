import type { Kind, WorkerSettings } from "./plan.ts";

/** Makes one call, and counts how long it waited since it was asked for. */
export type MakeCall = (kind: Kind, askedMs: number) => Promise<void>;

/** A way to keep the calls in flight of a fleet within a maximum. */
export interface Approach {
  readonly name: string;
  /** The package it is of; none for one of our own. */
  readonly package?: string;
  readonly server: "redis" | "postgres";
  /** How it is set. */
  settings(max: number): string;
  open(settings: WorkerSettings, makeCall: MakeCall): Promise<FleetSemaphore>;
}

export interface FleetSemaphore {
  /** Resolves when the call has ended. */
  ask(kind: Kind, askedMs: number): Promise<void>;
}

const KEY = "semaphore";

function own(server: Approach["server"]): Approach {
  return {
    name: `createSemaphore on ${server === "redis" ? "Redis" : "PostgreSQL"}`,
    server,
    settings: (max) => `createSemaphore: max ${max}`,
    open: async ({ max, url }, makeCall) => {
      const { createSemaphore } = await import("@dt/core");
      const store =
        server === "redis"
          ? (await import("@dt/redis")).redisStore({ url })
          : (await import("@dt/postgres")).postgresStore({ connectionString: url, hints: true });
      const semaphore = createSemaphore({ name: KEY, max, store });
      await semaphore.start({ timeout: "10m" });
      // Until the store has learned what may be in use: its server has just begun.
      (await semaphore.acquire()).release();
      return { ask: (kind, askedMs) => semaphore.run(() => makeCall(kind, askedMs)) };
    },
  };
}

/** Ours first. */
export const approaches: readonly Approach[] = [
  own("redis"),
  own("postgres"),
  {
    name: "redis-semaphore",
    package: "redis-semaphore",
    server: "redis",
    settings: (max) =>
      `Semaphore: limit ${max}, its defaults otherwise (asks again after 10 ms), acquireTimeout 10 min`,
    open: async ({ max, url }, makeCall) => {
      const [{ Semaphore }, { Redis }] = await Promise.all([import("redis-semaphore"), import("ioredis")]);
      const client = new Redis(url);
      return {
        ask: async (kind, askedMs) => {
          const semaphore = new Semaphore(client as never, KEY, max, { acquireTimeout: 600_000 });
          await semaphore.acquire();
          try {
            await makeCall(kind, askedMs);
          } finally {
            await semaphore.release();
          }
        },
      };
    },
  },
  {
    name: "bullmq",
    package: "bullmq",
    server: "redis",
    settings: (max) =>
      `Queue.setGlobalConcurrency(${max}); each process has a Worker of concurrency ${max}, so a call is made by any process`,
    open: async ({ max, url }, makeCall) => {
      const { Queue, QueueEvents, Worker } = await import("bullmq");
      const { hostname: host, port } = new URL(url);
      const connection = { host, port: Number(port), maxRetriesPerRequest: null };
      const queue = new Queue<{ readonly kind: Kind; readonly askedMs: number }>(KEY, { connection });
      await queue.setGlobalConcurrency(max);
      const events = new QueueEvents(KEY, { connection });
      events.setMaxListeners(0);
      const worker = new Worker(KEY, ({ data }) => makeCall(data.kind, data.askedMs), { connection, concurrency: max });
      await Promise.all([events.waitUntilReady(), worker.waitUntilReady()]);
      // A job that ends before its caller waits for it must still be there, on a busy machine too.
      const options = { removeOnComplete: { age: 60 }, removeOnFail: { age: 60 } };
      return {
        ask: async (kind, askedMs) => {
          const job = await queue.add("call", { kind, askedMs }, options);
          await job.waitUntilFinished(events);
        },
      };
    },
  },
];

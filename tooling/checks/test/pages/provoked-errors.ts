import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPacer, createSemaphore, createThrottle, MemoryStore, type Semaphore, type View } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { redisStore } from "@dt/redis";
import {
  createSignalClient,
  createSignalServer,
  type Handler,
  type ServerConnection,
  type SignalClient,
} from "@dt/signal";
import { sqliteStore } from "@dt/sqlite";
import { until } from "@dt-tooling/backends";
import { failure, thrown } from "@dt-tooling/backends/failure";

/** Each makes an error of its code happen, and answers it. */
export const PROVOKED: Readonly<Record<string, () => Promise<Error>>> = {
  DT_INVALID_OPTION: async () => thrown(() => createThrottle({ ...payments(), max: 0 })),
  DT_INVALID_COST: async () => thrown(() => createThrottle(payments()).tryAcquire(200)),
  DT_TIMEOUT: async () => {
    const runtime = new VirtualRuntime();
    const throttle = createThrottle(payments(runtime));
    await throttle.acquire(100);
    const late = failure(throttle.acquire(1, { timeout: 20 }));
    await runtime.advance(20);
    return late;
  },
  DT_LIMITED: async () => {
    const pacer = createPacer({ name: "mail", rate: "10/s", store: new MemoryStore() });
    await pacer.acquire();
    return failure(pacer.run(() => "made", { whenLimited: "throw" }));
  },
  DT_QUEUE_FULL: async () => {
    const throttle = createThrottle({ ...payments(), max: 1, maxWaiters: 1 });
    await throttle.acquire();
    const waits = throttle.acquire().catch(() => undefined);
    const error = await failure(throttle.acquire());
    await throttle.stop();
    await waits;
    return error;
  },
  DT_ABORTED: () => failure(new MemoryStore().list(undefined, AbortSignal.abort())),
  DT_SLOT_LOST: () => slotError({}, (semaphore) => semaphore.stop()),
  DT_SLOT_OVERDUE: () => slotError({ maxHold: 20 }),
  DT_STORE_UNAVAILABLE: async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    return redisError(port, 2_000);
  },
  DT_STORE_TIMEOUT: () => withServer((port) => redisError(port, 300)),
  DT_STORE_SLOW: async () => {
    const runtime = new VirtualRuntime();
    const store = new SlowStore(runtime);
    const throttle = createThrottle({ ...payments(runtime), store });
    const refused = failure(throttle.acquire());
    await runtime.advance(20_000);
    return refused;
  },
  DT_STORE_UNSUITABLE: () =>
    fileError((path) => {
      writeFileSync(path, "This is a text. ".repeat(100));
    }),
  DT_STORE_DATA: () =>
    fileError(async (path) => {
      const store = sqliteStore({ path });
      await store.list();
      await store.close();
      const database = new DatabaseSync(path);
      database.exec("PRAGMA user_version = 2");
      database.close();
    }),
  DT_STORE_REPLY: () => failure(createThrottle({ ...payments(), store: new WrongStore() }).start({ timeout: 0 })),
  DT_STORE_CLOSED: async () => {
    const store = new MemoryStore();
    await store.close();
    return failure(createThrottle({ ...payments(), store }).start({ timeout: 0 }));
  },
  DT_MEMBER_FENCED: async () => {
    const options = { ...payments(), memberId: "web-1" };
    const older = createThrottle(options);
    await older.start();
    const newer = createThrottle(options);
    await newer.start();
    await until("the older one knows it", 20_000, () => older.status().state === "fenced");
    const error = await failure(older.acquire());
    await newer.stop();
    return error;
  },
  DT_INTERVAL_MISMATCH: async () => {
    const options = payments();
    const throttle = createThrottle(options);
    await throttle.start();
    const error = await failure(createThrottle({ ...options, interval: "1m" }).start({ timeout: 0 }));
    await throttle.stop();
    return error;
  },
  DT_PACE_MISMATCH: async () => {
    const store = new MemoryStore();
    await createPacer({ name: "mail", rate: "10/s", store }).acquire();
    return failure(createPacer({ name: "mail", rate: "20/s", store }).acquire());
  },
  DT_STOPPED: async () => {
    const throttle = createThrottle(payments());
    await throttle.stop();
    return failure(throttle.acquire());
  },
  DT_REFUSED: () =>
    withSignals(
      () => Promise.reject(new Error("the disk is full")),
      async (client) => failure((await client.createProducer("mail")).send("a")),
    ),
  DT_CONNECTION_LOST: () =>
    withServer(async (port) => {
      const client = createSignalClient({ connect: () => connect(port, "127.0.0.1"), requestTimeout: 300 });
      const error = await failure(client.createProducer("mail"));
      await client.close();
      return error;
    }),
  DT_SEND_TIMEOUT: () =>
    withSignals(
      () => new Promise(() => undefined),
      async (client) => failure((await client.createProducer("mail")).send("a", { timeout: 50 })),
    ),
  DT_PRODUCER_THROTTLED: () =>
    withSignals(undefined, async (client, connections) => {
      const producer = await client.createProducer("mail");
      void connections[0]?.throttle(producer.id, "TopicProduceQuotaExceeded", 60_000);
      await until("the producer knows it", 20_000, () => producer.isThrottled());
      return failure(producer.send("a", { timeout: 50 }));
    }),
  DT_PROTOCOL: () =>
    new Promise((resolve, reject) => {
      const signals = createSignalServer({ handler: handler(), handshakeTimeout: 20 });
      signals.on("closed", ({ error }) => error && resolve(error));
      withServer(async (port) => {
        const socket = connect(port, "127.0.0.1");
        await once(socket, "close");
      }, signals.attach.bind(signals)).catch(reject);
    }),
};

interface Payments {
  readonly name: string;
  readonly max: number;
  readonly store: MemoryStore;
  readonly runtime?: VirtualRuntime;
}

/** Options of a throttle on a store of its own. */
function payments(runtime?: VirtualRuntime): Payments {
  const time = runtime === undefined ? {} : { runtime };
  return { name: "payments", max: 100, store: new MemoryStore(time), ...time };
}

/** Round trips take longer than `clockError`, 250 ms. */
class SlowStore extends MemoryStore {
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime) {
    super({ runtime });
    this.#runtime = runtime;
  }

  override register(...args: Parameters<MemoryStore["register"]>): Promise<View> {
    return this.#late(super.register(...args));
  }

  override sync(...args: Parameters<MemoryStore["sync"]>): Promise<View> {
    return this.#late(super.sync(...args));
  }

  async #late<T>(answer: Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, 300));
    return answer;
  }
}

class WrongStore extends MemoryStore {
  override register(): Promise<View> {
    return Promise.resolve(undefined as unknown as View);
  }
}

/** The reason of the signal of a slot. */
async function slotError(
  options: { readonly maxHold?: number },
  act: (semaphore: Semaphore) => unknown = () => undefined,
): Promise<Error> {
  const semaphore = createSemaphore({ name: "ocr", max: 1, store: new MemoryStore(), ...options });
  const { signal } = await semaphore.acquire();
  const fired = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await act(semaphore);
  await fired;
  await semaphore.stop();
  return signal.reason as Error;
}

async function redisError(port: number, timeout: number): Promise<Error> {
  const store = redisStore({ url: `redis://127.0.0.1:${port}`, timeout });
  const error = await failure(store.list());
  await store.close();
  return error;
}

/** The error of a store on a file that was prepared before; without the folder of the file. */
async function fileError(prepare: (path: string) => void | Promise<void>): Promise<Error> {
  const folder = mkdtempSync(join(tmpdir(), "dt-errors-"));
  try {
    const path = join(folder, "limits.db");
    await prepare(path);
    const store = sqliteStore({ path });
    const error = await failure(store.list());
    await store.close();
    error.message = error.message.replaceAll(`${folder}/`, "");
    return error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** With a server on TCP that reads nothing and answers nothing, unless it is given more to do. */
async function withServer<T>(
  use: (port: number) => Promise<T>,
  attach: (socket: Socket) => unknown = () => undefined,
): Promise<T> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    attach(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

function handler(publish: Handler["publish"] = () => 1): Handler {
  return { openProducer: () => 0, publish };
}

async function withSignals<T>(
  publish: Handler["publish"] | undefined,
  use: (client: SignalClient, connections: readonly ServerConnection[]) => Promise<T>,
): Promise<T> {
  const signals = createSignalServer({ handler: handler(publish) });
  const connections: ServerConnection[] = [];
  const attach = (socket: Socket): unknown => connections.push(signals.attach(socket));
  return withServer(async (port) => {
    const client = createSignalClient({ connect: () => connect(port, "127.0.0.1") });
    try {
      return await use(client, connections);
    } finally {
      await client.close();
      await signals.close();
    }
  }, attach);
}

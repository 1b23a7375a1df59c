import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FaultProxy } from "../src/proxy/fault-proxy.ts";
import { until } from "../src/until.ts";

/** A server that answers every line with the same line, and remembers what it heard. */
class Echo {
  heard = "";
  readonly sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.sockets.delete(socket));
    socket.on("data", (chunk) => {
      this.heard += chunk;
      socket.write(chunk);
    });
  });

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get endpoint() {
    return { host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A client that remembers what it was told and how its connection ended. */
class Client {
  told = "";
  ended: string | undefined;
  readonly socket: Socket;

  constructor(proxy: FaultProxy) {
    this.socket = connect({ ...proxy.endpoint, allowHalfOpen: true, noDelay: true });
    this.socket.on("data", (chunk) => {
      this.told += chunk;
    });
    this.socket.on("end", () => {
      this.ended ??= "end";
    });
    this.socket.on("error", (error: NodeJS.ErrnoException) => {
      this.ended = error.code;
    });
  }

  async says(text: string): Promise<void> {
    await new Promise((resolve) => this.socket.write(text, resolve));
  }

  async isTold(text: string): Promise<void> {
    await until(
      `the client is told ${JSON.stringify(text)}, not ${JSON.stringify(this.told)}`,
      5_000,
      () => this.told === text,
    );
  }
}

let echo: Echo;
let proxy: FaultProxy;
let client: Client;

beforeEach(async () => {
  echo = new Echo();
  await echo.listen();
  proxy = await FaultProxy.listen(echo.endpoint);
  client = new Client(proxy);
  await client.says("a\n");
  await client.isTold("a\n");
});

afterEach(async () => {
  client.socket.destroy();
  await proxy.close();
  await echo.close();
});

test("a delay holds each direction up for its time and keeps the order", async () => {
  proxy.apply({ type: "delay", delayMs: 60 });
  const startMs = performance.now();
  await client.says("b\n");
  await client.says("c\n");
  await client.isTold("a\nb\nc\n");
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(119);
  // One trip after the other takes as much again: benchmarks count round trips by it.
  await client.says("d\n");
  await client.isTold("a\nb\nc\nd\n");
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(238);
});

test("nothing passes a stall, and all of it comes late and in order when it is mended", async () => {
  proxy.apply({ type: "stall" });
  await client.says("b\n");
  await client.says("c\n");
  // What a connection without the fault carries meanwhile shows that there was time enough.
  await passesElsewhere();
  expect(echo.heard).toBe("a\n");
  proxy.apply(undefined);
  await client.isTold("a\nb\nc\n");
});

test("connections that are stranded stay dead when new ones pass, and hear of no end", async () => {
  proxy.apply({ type: "stall" });
  await client.says("b\n");
  proxy.strand();
  await passesElsewhere(proxy);
  for (const socket of echo.sockets) socket.end();
  proxy.apply(undefined);
  await passesElsewhere(proxy);
  expect([echo.heard, client.told, client.ended]).toEqual(["a\nhello\nhello\n", "a\n", undefined]);
});

test("a stall can begin in the middle of what a client says", async () => {
  const before = proxy.heard;
  proxy.stallAfter(3);
  await client.says("bcdef\n");
  await until("the server hears a part", 5_000, () => echo.heard === "a\nbcd");
  await passesElsewhere();
  expect([echo.heard, client.told, proxy.heard - before]).toEqual(["a\nbcd", "a\n", 6]);
  proxy.apply(undefined);
  await client.isTold("a\nbcdef\n");
});

test("a client whose side is reset leaves the server its connection, and what it had sent", async () => {
  proxy.apply({ type: "stall" });
  await client.says("b\n");
  await until("the proxy has it", 5_000, () => proxy.heard === 4);
  proxy.resetClients();
  await until("the client's connection is reset", 5_000, () => client.ended === "ECONNRESET");
  proxy.apply(undefined);
  await until("the server hears it", 5_000, () => echo.heard === "a\nb\n");
  expect(echo.sockets.size).toBe(1);
});

test("the end of a connection does not pass a stall either", async () => {
  proxy.apply({ type: "stall" });
  for (const socket of echo.sockets) socket.end();
  await passesElsewhere();
  expect(client.ended).toBeUndefined();
  proxy.apply(undefined);
  await until("the client hears of the end", 5_000, () => client.ended === "end");
});

test("dropped requests are never heard, and the connection is reset when that is mended", async () => {
  proxy.apply({ type: "drop-requests" });
  await client.says("b\n");
  await passesElsewhere();
  proxy.apply(undefined);
  await until("the client's connection is reset", 5_000, () => client.ended === "ECONNRESET");
  expect(echo.heard).toBe("a\n");
});

test("requests whose replies are swallowed are heard, and the connection is reset when that is mended", async () => {
  proxy.apply({ type: "swallow-replies" });
  await client.says("b\n");
  await until("the server hears the request", 5_000, () => echo.heard === "a\nb\n");
  await passesElsewhere();
  expect(client.told).toBe("a\n");
  proxy.apply(undefined);
  await until("the client's connection is reset", 5_000, () => client.ended === "ECONNRESET");
});

test("requests whose replies are stalled are heard, and all the replies come when that is mended", async () => {
  proxy.apply({ type: "stall-replies" });
  await client.says("b\n");
  await until("the server hears the request", 5_000, () => echo.heard === "a\nb\n");
  await passesElsewhere();
  expect(client.told).toBe("a\n");
  proxy.apply(undefined);
  await client.isTold("a\nb\n");
});

test("a half-open connection is gone for the server and open for the client, and so is a new one", async () => {
  proxy.apply({ type: "half-open" });
  await until("the server has no connection", 5_000, () => echo.sockets.size === 0);
  const late = new Client(proxy);
  await client.says("b\n");
  await late.says("c\n");
  await passesElsewhere();
  expect([client.ended, late.ended, client.told, late.told]).toEqual([undefined, undefined, "a\n", ""]);
  proxy.apply(undefined);
  await until("both are reset", 5_000, () => client.ended === "ECONNRESET" && late.ended === "ECONNRESET");
});

test("a stream without a hole survives a fault that lost nothing of it", async () => {
  proxy.apply({ type: "swallow-replies" });
  proxy.apply(undefined);
  await client.says("b\n");
  await client.isTold("a\nb\n");
});

test("a reset ends every connection at once, and new ones work", async () => {
  proxy.reset();
  await until("the client's connection is reset", 5_000, () => client.ended === "ECONNRESET");
  await passesElsewhere(proxy);
  await until("nothing is left of the old one", 5_000, () => proxy.connections === 0 && echo.sockets.size === 0);
});

test("a server that is killed during a stall leaves nothing behind when that is mended and the proxy closed", async () => {
  // In a process of its own, so that the kernel resets its connections.
  const program = `require("node:net").createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1", function () {
    console.log(this.address().port);
  })`;
  const server = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(server.stdout, "data");
  const own = await FaultProxy.listen({ host: "127.0.0.1", port: Number(port) });
  const clients = Array.from({ length: 20 }, () => new Client(own));
  await Promise.all(clients.map((one) => one.says("a\n")));
  await until("all are told", 5_000, () => clients.every(({ told }) => told === "a\n"));
  own.apply({ type: "stall" });
  await Promise.all(clients.map((one) => one.says("b\n")));
  await passesElsewhere();
  server.kill("SIGKILL");
  await once(server, "exit");
  own.apply(undefined);
  await own.close();
  await until("nothing is left", 5_000, () => own.connections === 0);
});

test("a server that is not there shows as the end of the connection", async () => {
  await echo.close();
  const late = new Client(proxy);
  await until("the client hears of the end", 5_000, () => late.ended !== undefined);
  await echo.listen();
});

/** One exchange through a proxy without a fault. */
async function passesElsewhere(through?: FaultProxy): Promise<void> {
  const other = new Echo();
  await other.listen();
  const path = through ?? (await FaultProxy.listen(other.endpoint));
  const friend = new Client(path);
  await friend.says("hello\n");
  await friend.isTold("hello\n");
  friend.socket.destroy();
  if (through === undefined) await path.close();
  await other.close();
}

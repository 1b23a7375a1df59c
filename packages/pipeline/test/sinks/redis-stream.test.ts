import { FaultProxy, type RedisServer, startRedis, timed } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type RedisStreamOptions, redisStream } from "../../src/sinks/redis-stream.ts";
import { failed, succeeded, throttledByUs } from "../support/endings.ts";

/** The deadline is 1 s; a busy machine may take a while to say so. */
const SETTLED_MS = 1_900;

let server: RedisServer;
let admin: Redis;

beforeAll(async () => {
  server = await startRedis({ control: true });
  admin = new Redis(server.url, { autoResendUnfulfilledCommands: false });
});

afterAll(async () => {
  admin?.disconnect();
  await server?.stop();
});

let names = 0;

/** A sink to a stream of its own. */
function sinkOn(options: Partial<RedisStreamOptions> = {}) {
  const stream = `later:${++names}`;
  const address = options.client || options.options ? {} : { url: server.url };
  const sink = redisStream({ stream, ...address, ...options });
  onTestFinished(() => sink.close?.()?.catch(() => {}));
  return { sink, stream };
}

const entriesOf = async (stream: string) => (await admin.xrange(stream, "-", "+")).map(([, fields]) => fields);

it("an ending is an entry with its kind, its input, and the result or the error", async () => {
  const { sink, stream } = sinkOn();
  await sink.open?.();
  await sink.write(succeeded({ id: 1 }, "fine"));
  await sink.write(throttledByUs("a\0b"));
  await sink.write(failed(null, "Corresponding error"));
  await sink.close?.();
  const error = "Throttled by Client. Request rejection probability: 0.3111111111111111";
  expect(await entriesOf(stream)).toEqual([
    ["kind", "success", "input", '{"id":1}', "output", '"fine"'],
    ["kind", "throttled", "input", '"a\\u0000b"', "error", error],
    ["kind", "error", "input", "null", "error", "Corresponding error"],
  ]);
});

it("a client of the user's is used, and stays open", async () => {
  const { sink, stream } = sinkOn({ client: admin });
  await sink.write(succeeded(1, 1));
  await sink.close?.();
  expect((await entriesOf(stream)).length).toBe(1);
});

it("endings are sent in batches, in their order", async () => {
  const { sink, stream } = sinkOn({ batch: 250, linger: "1h" });
  for (let n = 0; n < 1_000; n++) await sink.write(succeeded(n, n));
  expect((await entriesOf(stream)).length).toBeGreaterThanOrEqual(500);
  await sink.flush?.();
  const inputs = (await entriesOf(stream)).map(([, , , input]) => Number(input));
  expect(inputs).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
});

it("an ending does not wait for others longer than it may", async () => {
  const { sink, stream } = sinkOn({ linger: "5ms" });
  await sink.write(succeeded(1, 1));
  await expect.poll(() => entriesOf(stream)).toHaveLength(1);
});

it("a stream is cut off at about the length that was asked for", async () => {
  const { sink, stream } = sinkOn({ maxLength: 100 });
  for (let n = 0; n < 2_000; n++) await sink.write(succeeded(n, n));
  await sink.close?.();
  const entries = await entriesOf(stream);
  expect(entries.length).toBeGreaterThanOrEqual(100);
  expect(entries.length).toBeLessThan(400);
  expect(entries.at(-1)?.[3]).toBe("1999");
});

it("a stopped server is an error in about a second, and so is every later write", async () => {
  const own = await startRedis({ control: true });
  onTestFinished(() => own.stop());
  const sink = redisStream({ url: own.url, stream: "later" });
  await sink.write(succeeded(1, 1));
  await sink.flush?.();
  await own.pause();
  await sink.write(succeeded(2, 2));
  const { error, ms } = await timed(sink.flush?.() as Promise<void>);
  expect(error).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
  expect(ms).toBeLessThan(SETTLED_MS);
  await expect(sink.write(succeeded(3, 3))).rejects.toBe(error);
  const closed = await timed(sink.close?.() as Promise<void>);
  expect(closed.error).toBe(error);
  expect(closed.ms).toBeLessThan(SETTLED_MS);
  await own.resume();
});

it("a server that is not there, a key of another kind and a user without rights are said before anything is written", async () => {
  const proxy = await FaultProxy.listen(server);
  const url = `redis://127.0.0.1:${proxy.port}`;
  await proxy.close();
  await expect(
    sinkOn({ options: { host: "127.0.0.1", port: Number(new URL(url).port) } }).sink.open?.(),
  ).rejects.toMatchObject({
    code: expect.stringMatching(/^DT_STORE_(UNAVAILABLE|TIMEOUT)$/),
  });

  await admin.set("a-string", "x");
  await expect(sinkOn({ stream: "a-string" }).sink.open?.()).rejects.toThrow(
    "a-string is no stream; give another name",
  );

  await admin.call("ACL", "SETUSER", "weak", "on", ">pw", "~later:*", "+ping", "+hello", "+auth", "+info", "+client");
  const weak = sinkOn({
    options: { host: "127.0.0.1", port: Number(new URL(server.url).port), username: "weak", password: "pw" },
  });
  await expect(weak.sink.open?.()).rejects.toThrow(`the ACL user needs ~${weak.stream} +xadd +xlen`);
});

it("slips are told apart, and passwords are not shown", () => {
  const url = "redis://user:secret@127.0.0.1:1";
  expect(() => redisStream({ url, stream: "" })).toThrow('stream is ""; give a non-empty string');
  expect(() => redisStream({ url, stream: "s", batch: 0 })).toThrow("batch is 0; give a whole number from 1");
  expect(() => redisStream({ url, stream: "s", maxLength: 0.5 })).toThrow("maxLength is 0.5");
  expect(() => redisStream({ stream: "s" })).toThrow("give either client, or cluster, or url");
  expect(() => redisStream({ url, stream: "s", maxLenght: 5 } as RedisStreamOptions)).toThrow(
    "did you mean maxLength?",
  );
  expect(() => redisStream({ stream: "s", url: "no-url:secret" })).toThrow(/^(?!.*secret)url is not a Redis URL/);
});

import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { expect, it } from "vitest";
import type { Ending } from "../../src/ending.ts";
import { toSink } from "../../src/sinks/given-sink.ts";
import type { Output } from "../../src/sinks/sink.ts";
import { writableSink } from "../../src/sinks/writable-sink.ts";
import { failed, succeeded } from "../support/endings.ts";
import { folder, linesOf } from "../support/folder.ts";

it("a function is called with each ending, and awaited", async () => {
  const seen: unknown[] = [];
  const sink = toSink("success", async (ending: Ending) => {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(ending.input);
  });
  await sink.write(succeeded("a", 1));
  expect(seen).toEqual(["a"]);
  await expect(toSink("success", () => Promise.reject(new Error("no"))).write(succeeded(1, 1))).rejects.toThrow("no");
});

it("a Writable gets lines, is waited for, and is ended with the sink", async () => {
  const path = join(await folder(), "out.jsonl");
  const sink = toSink("errors", createWriteStream(path));
  for (let n = 0; n < 1_000; n++) await sink.write(failed(n, "x".repeat(100)));
  await sink.flush?.();
  await sink.close?.();
  await sink.close?.();
  expect(JSON.parse((await linesOf(path))[999] as string)).toEqual({ input: 999, error: "x".repeat(100) });
});

it("a Writable that is full keeps who writes waiting until it has drained", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const sink = toSink("success", stream);
  let written = false;
  const writing = Promise.resolve(sink.write(succeeded(1, "more than ten bytes"))).then(() => {
    written = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(false);
  stream.resume();
  await writing;
});

it("a Writable of objects gets the endings themselves", async () => {
  const seen: unknown[] = [];
  const objects = new Writable({
    objectMode: true,
    write: (chunk, _, done) => {
      seen.push(chunk);
      done();
    },
  });
  const sink = toSink("success", objects);
  await sink.write(succeeded("a", null));
  await sink.close?.();
  expect(seen).toEqual([succeeded("a", null)]);
});

it("a Writable that fails ends the sink, and no process, whoever writes at that moment", async () => {
  let failNow = (_: Error): void => {};
  const stream = new Writable({
    highWaterMark: 1,
    write: (_, __, done) => {
      failNow = done;
    },
  });
  const sink = toSink("success", stream);
  const writing = [sink.write(succeeded(1, 1)), sink.write(succeeded(2, 2)), sink.flush?.()];
  failNow(new Error("pipe broken"));
  for (const promise of writing) await expect(promise).rejects.toThrow("pipe broken");
  await expect(sink.write(succeeded(3, 3))).rejects.toThrow("pipe broken");
  await expect(sink.close?.()).rejects.toThrow("pipe broken");
});

it("a Writable that is destroyed without an error is not taken for one that has everything", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const sink = toSink("success", stream);
  const writing = Promise.resolve(sink.write(succeeded(1, "more than ten bytes")));
  stream.destroy();
  await expect(writing).rejects.toThrow(/closed before its end|destroyed/);
});

it("a Writable that goes on after the sink is not ended when that is asked for", async () => {
  const stream = new PassThrough();
  const sink = writableSink(stream, { end: false, line: ({ index }) => index });
  await sink.write(succeeded("a", 1, 5));
  await sink.close?.();
  expect([stream.writableEnded, stream.read().toString()]).toEqual([false, "5\n"]);
});

it("a Writable that has had a hundred sinks has no more listeners than before", async () => {
  const stream = new PassThrough().resume();
  const listeners = () => stream.eventNames().map((event) => [event, stream.listenerCount(event)]);
  const before = listeners();
  for (let n = 0; n < 100; n++) {
    const sink = writableSink(stream, { end: false });
    await sink.write(succeeded(n, n));
    await sink.close?.();
  }
  expect(listeners()).toEqual(before);
});

it("a web stream gets the endings, is waited for, and is closed with the sink", async () => {
  const seen: unknown[] = [];
  let closed = false;
  const stream = new WritableStream({
    write: async (ending) => void seen.push(ending),
    close: () => {
      closed = true;
    },
  });
  const sink = toSink("success", stream);
  await sink.write(succeeded("a", 1));
  await sink.flush?.();
  expect(seen).toEqual([succeeded("a", 1)]);
  await sink.close?.();
  await sink.close?.();
  expect(closed).toBe(true);
});

it("a web stream that fails ends the sink", async () => {
  const stream = new WritableStream({ write: () => Promise.reject(new Error("gone")) });
  const sink = toSink("success", stream);
  await Promise.resolve(sink.write(succeeded(1, 1))).catch(() => {});
  await expect(sink.flush?.()).rejects.toThrow("gone");
  await expect(sink.write(succeeded(2, 2))).rejects.toThrow("gone");
});

it("what is no sink is refused by name", () => {
  for (const given of [undefined, 7, {}, "out.jsonl"])
    expect(() => toSink("throttled", given as unknown as Output)).toThrow(
      /^throttled is .*; give a sink such as jsonlFile/,
    );
});

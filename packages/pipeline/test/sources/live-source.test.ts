import { spawn } from "node:child_process";
import { EventEmitter, on, once } from "node:events";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openCheckpoint, type Source, throttled } from "../../src/index.ts";
import { numbers } from "../engine/support.ts";
import { folder } from "../support/folder.ts";

/** An output that takes a while to be opened, as one on a disk or a server does. */
const slow = { open: () => sleep(30), write: () => undefined };

async function linesFile(lines: number): Promise<string> {
  const path = join(await folder(), "in.txt");
  await writeFile(path, Array.from({ length: lines }, (_, n) => `${n}\n`).join(""));
  return path;
}

/** Goes through a source; says which records came. */
async function gone<T>(source: Source<T>, wait?: () => Promise<unknown>): Promise<T[]> {
  const got: T[] = [];
  const pipeline = throttled(source, (record) => void got.push(record), { success: slow });
  await wait?.();
  await pipeline.run();
  return got;
}

/** Emits as soon as there is a turn, whether or not anything listens. */
class Ticker extends EventEmitter {
  constructor(items: readonly number[], end: (ticker: Ticker) => void) {
    super();
    setImmediate(() => {
      for (const item of items) this.emit("item", item);
      end(this);
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    for await (const [item] of on(this, "item", { close: ["end"] })) yield item as number;
  }
}

describe("a live source loses nothing while the outputs are opened", () => {
  it.each([10, 20_000])("a readline interface over %i lines", async (count) => {
    const lines = createInterface({ input: createReadStream(await linesFile(count)) });
    expect(await gone(lines)).toHaveLength(count);
  });

  it("one that ends before the pipeline is run", async () => {
    const lines = createInterface({ input: createReadStream(await linesFile(10)) });
    expect(await gone(lines, () => once(lines, "close"))).toHaveLength(10);
  });

  it("one that a generator reads", async () => {
    const lines = createInterface({ input: createReadStream(await linesFile(10)) });
    async function* parsed(): AsyncGenerator<number> {
      for await (const line of lines) yield Number(line);
    }
    expect(await gone(parsed())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("one that a checkpoint reads, also when it is run later", async () => {
    const checkpoint = await openCheckpoint({ path: join(await folder(), "c"), input: "lines" });
    const lines = createInterface({ input: createReadStream(await linesFile(10)) });
    const got: string[] = [];
    const pipeline = throttled(checkpoint.resume(lines), (line) => void got.push(line), { checkpoint, success: slow });
    await once(lines, "close");
    expect(await pipeline.run()).toMatchObject({ state: "done", success: 10 });
  });

  it("an emitter whose generator begins to listen when it is asked for the first record", async () => {
    const ticker = () => new Ticker([1, 2, 3], (emitter) => emitter.emit("end"));
    expect(await gone(ticker())).toEqual([1, 2, 3]);
    expect(await gone(ticker(), () => sleep(10))).toEqual([1, 2, 3]);
  });

  it("the output of a child process, which is dropped at its end if nothing reads it", async () => {
    const child = spawn(process.execPath, ["-e", "console.log('x'.repeat(5_000))"]);
    const pieces = await gone<Buffer>(child.stdout, () => once(child, "exit").then(() => sleep(10)));
    expect(Buffer.concat(pieces).toString()).toBe(`${"x".repeat(5_000)}\n`);
  });

  it("a web stream, and one that has ended", async () => {
    const stream = (): ReadableStream<number> =>
      new ReadableStream<number>({
        start: (controller) => {
          for (const n of [1, 2]) controller.enqueue(n);
          controller.close();
        },
      });
    expect(await gone(stream())).toEqual([1, 2]);
    const ended = Readable.from([1]);
    await ended.toArray();
    expect(await gone(ended)).toEqual([]);
  });
});

describe("a live source that fails is heard", () => {
  const missing = "/no/such/folder/missing.jsonl";

  it("while the outputs are opened", async () => {
    await expect(gone(createReadStream(missing))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("before the pipeline is run", async () => {
    await expect(gone(createReadStream(missing), () => sleep(30))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("before the pipeline was made", async () => {
    const source = createReadStream(missing);
    await once(source, "error").catch(() => undefined);
    await expect(gone(source)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("as the input of a readline interface, also before the run", async () => {
    const lines = () => createInterface({ input: createReadStream(missing) });
    await expect(gone(lines())).rejects.toMatchObject({ code: "ENOENT" });
    await expect(gone(lines(), () => sleep(30))).rejects.toMatchObject({ code: "ENOENT" });
    const logged = createReadStream(missing).on("error", () => undefined);
    await expect(gone(createInterface({ input: logged }))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("in the middle, after the lines that came before were done", async () => {
    const input = Readable.from(
      (async function* () {
        yield "1\n2\n";
        await turn();
        throw new Error("the disk is gone");
      })(),
    );
    const lines = createInterface({ input });
    const got: string[] = [];
    const run = throttled(lines, (line) => void got.push(line), { success: slow }).run();
    await expect(run).rejects.toThrow("the disk is gone");
    expect(got).toEqual(["1", "2"]);
  });

  it("as an emitter that nothing else listens to", async () => {
    const failing = new Ticker([], (ticker) => ticker.emit("error", new Error("cut off")));
    await expect(gone(failing)).rejects.toThrow("cut off");
    // It may fail once more, and that is no unhandled event either.
    expect(failing.emit("error", new Error("cut off again"))).toBe(true);
  });

  it("as a web stream", async () => {
    const failed = new ReadableStream<number>({ start: (controller) => controller.error(new Error("cut off")) });
    await expect(gone(failed, () => sleep(10))).rejects.toThrow("cut off");
  });

  it("as a readline interface that was closed too early: it would never end", async () => {
    const lines = createInterface({ input: createReadStream(await linesFile(10)) });
    await once(lines, "close");
    await expect(gone(lines)).rejects.toThrow("make it in the same step as the pipeline");
  });
});

describe("a source is left as it was", () => {
  it("with none of our listeners, and an error that others hear is theirs", async () => {
    const source = new Ticker([1], (ticker) => {
      ticker.emit("error", new Error("only a warning"));
      ticker.emit("end");
    });
    // Its own iterator does not listen to errors.
    source[Symbol.asyncIterator] = async function* () {
      const [item] = await once(new Proxy(source, {}), "item");
      yield item as number;
    };
    const heard: unknown[] = [];
    source.on("error", (error) => heard.push(error));
    expect(await gone(source)).toEqual([1]);
    expect([heard.length, source.listenerCount("error")]).toEqual([1, 1]);
  });

  it("when an output cannot be opened: closed, and an idle one is not waited for", async () => {
    const bad = { ...slow, open: () => Promise.reject(new Error("no such folder")) };
    const idle = new Ticker([], () => undefined);
    const run = throttled(idle, () => undefined, { success: bad }).run();
    await expect(run).rejects.toThrow("no such folder");
    const source = numbers(3);
    await expect(throttled(source, () => undefined, { success: bad }).run()).rejects.toThrow("no such folder");
    expect(source.closed).toBe(true);
  });
});

import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { type Checkpoint, openCheckpoint } from "../../src/checkpoint/checkpoint.ts";
import { folder } from "../support/folder.ts";

const never = { interval: "1h", window: 1_000_000 } as const;

/** Reads so many records, and says of some that they ended. */
async function take(checkpoint: Checkpoint, source: Iterable<number>, most: number, ended: readonly number[]) {
  const taken: number[] = [];
  for await (const record of checkpoint.resume(source)) if (taken.push(record) === most) break;
  for (const index of ended) await checkpoint.ended(index);
  return taken;
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

it("a second run passes over what ended in the first", async () => {
  const path = join(await folder(), "run.checkpoint");
  const first = await openCheckpoint({ path, input: "numbers" });
  expect(first.resumed).toBe(false);
  await take(first, upTo(10), 6, [0, 1, 3, 5]);
  await first.save();

  const second = await openCheckpoint({ path, input: "numbers" });
  expect([second.resumed, second.position.records]).toEqual([true, 2]);
  expect(await take(second, upTo(10), 100, [])).toEqual([2, 4, 6, 7, 8, 9]);
});

it("a source that can begin in the middle is told where, and says where its records end", async () => {
  const path = join(await folder(), "run.checkpoint");
  let end = { records: 0, bytes: 0 };
  async function* from(record: number) {
    for (let n = record; n < 8; n++) {
      end = { records: n + 1, bytes: (n + 1) * 100 };
      yield n;
    }
  }
  const first = await openCheckpoint({ path, input: "numbers" });
  const seen: number[] = [];
  for await (const n of first.resume(from(0), () => end)) if (seen.push(n) === 5) break;
  for (const index of [0, 1, 2, 4]) await first.ended(index);
  await first.save();

  const second = await openCheckpoint({ path, input: "numbers" });
  expect(second.position).toEqual({ records: 3, bytes: 300 });
  const rest: number[] = [];
  for await (const n of second.resume(from(second.position.records), () => end)) rest.push(n);
  expect(rest).toEqual([3, 5, 6, 7]);
});

it("the sinks are flushed before the checkpoint says what they were given", async () => {
  const path = join(await folder(), "run.checkpoint");
  const checkpoint = await openCheckpoint({ path, input: "numbers", ...never });
  const inTheFileWhenFlushed: string[] = [];
  checkpoint.begin(async () => {
    inTheFileWhenFlushed.push(await readFile(path, "utf8").catch(() => "nothing"));
  });
  await take(checkpoint, upTo(3), 3, [0, 1, 2]);
  await checkpoint.save();
  expect(inTheFileWhenFlushed).toEqual(["nothing"]);
  expect((await openCheckpoint({ path, input: "numbers" })).position.records).toBe(3);
});

it("nothing is saved of what sinks could not be made to keep, and whoever goes on hears of it", async () => {
  const path = join(await folder(), "run.checkpoint");
  const checkpoint = await openCheckpoint({ path, input: "numbers", ...never });
  checkpoint.begin(async () => {
    throw new Error("disk full");
  });
  await take(checkpoint, upTo(3), 3, [0, 1]);
  await expect(checkpoint.save()).rejects.toThrow("disk full");
  await expect(checkpoint.ended(2)).rejects.toThrow("disk full");
  expect((await openCheckpoint({ path, input: "numbers" })).resumed).toBe(false);
});

it("not more than the window ends between two checkpoints: who would be next waits", async () => {
  const path = join(await folder(), "run.checkpoint");
  const checkpoint = await openCheckpoint({ path, input: "numbers", interval: "1h", window: 10 });
  let flushes = 0;
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  checkpoint.begin(async () => {
    flushes += 1;
    await held;
  });
  const taken = take(checkpoint, upTo(100), 100, []);
  await taken;
  const settled: number[] = [];
  const endings = upTo(30).map((index) => checkpoint.ended(index).then(() => settled.push(index)));
  await Promise.all(endings.slice(0, 9));
  expect([settled.length, flushes]).toEqual([9, 1]);
  letGo();
  await Promise.all(endings);
  expect(settled.length).toBe(30);
  expect(30 - (await openCheckpoint({ path, input: "numbers" })).position.records).toBeLessThan(10);
});

it("the last save has what ended while one was under way: a finished run leaves nothing to do", async () => {
  const path = join(await folder(), "run.checkpoint");
  const checkpoint = await openCheckpoint({ path, input: "numbers", interval: "1h", window: 8 });
  let flushes = 0;
  let letGo = (): void => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  checkpoint.begin(async () => {
    flushes += 1;
    await held;
  });
  await take(checkpoint, upTo(7), 100, upTo(4));
  // The first save began at half of the window; what ends now is not in it.
  expect(flushes).toBe(1);
  for (const index of [4, 5, 6]) await checkpoint.ended(index);
  const saved = checkpoint.save();
  letGo();
  await saved;
  expect(await take(await openCheckpoint({ path, input: "numbers" }), upTo(7), 100, [])).toEqual([]);
});

it("a quiet pipeline saves after the interval", async () => {
  const path = join(await folder(), "run.checkpoint");
  const runtime = new VirtualRuntime();
  const checkpoint = await openCheckpoint({ path, input: "numbers", interval: "5s", runtime });
  const flushed = new Promise<number>((resolve) => checkpoint.begin(async () => resolve(runtime.now())));
  const begun = runtime.now();
  await take(checkpoint, upTo(3), 3, [0]);
  await runtime.advance(5_000);
  expect((await flushed) - begun).toBe(5_000);
  // The folder goes away after the test: the file must be there by then.
  await checkpoint.save();
});

it("notes are saved as they are at that moment", async () => {
  const path = join(await folder(), "run.checkpoint");
  const first = await openCheckpoint({ path, input: "numbers" });
  const counts = { success: 0 };
  first.notes = counts;
  counts.success = 7;
  await first.save();
  counts.success = 8;
  expect((await openCheckpoint({ path, input: "numbers" })).notes).toEqual({ success: 7 });
});

it("another input and another part are refused, with what to do", async () => {
  const path = join(await folder(), "run.checkpoint");
  await (await openCheckpoint({ path, input: "orders of May", part: "2/4" })).save();
  await expect(openCheckpoint({ path, input: "orders of June", part: "2/4" })).rejects.toThrow(
    /is of another input than orders of June; give the input and part of its first run, or another checkpoint/,
  );
  await expect(openCheckpoint({ path, input: "orders of May", part: "3/4" })).rejects.toMatchObject({
    code: "DT_INVALID_OPTION",
    message: expect.stringContaining("is of part 2/4, not of 3/4"),
  });
});

it("a file may have grown, but must hold what was read of it", async () => {
  const here = await folder();
  const path = join(here, "run.checkpoint");
  const file = join(here, "in.jsonl");
  await writeFile(file, "1\n2\n3\n");
  let end = { records: 0, bytes: 0 };
  const first = await openCheckpoint({ path, input: { file } });
  for await (const _ of first.resume([1, 2], () => end)) end = { records: end.records + 1, bytes: end.bytes + 2 };
  await first.save();

  await appendFile(file, "4\n");
  expect((await openCheckpoint({ path, input: { file } })).resumed).toBe(true);
  await writeFile(file, "5\n2\n3\n4\n");
  await expect(openCheckpoint({ path, input: { file } })).rejects.toThrow("is of another input");
  await writeFile(file, "1");
  await expect(openCheckpoint({ path, input: { file } })).rejects.toThrow("is of another input");
});

it("a file of which nobody says how far it was read is known by its beginning", async () => {
  const here = await folder();
  const path = join(here, "run.checkpoint");
  const file = join(here, "in.jsonl");
  await writeFile(file, "1\n");
  const first = await openCheckpoint({ path, input: { file } });
  await take(first, [1], 1, [0]);
  await first.save();
  await appendFile(file, "2\n".repeat(100_000));
  expect((await openCheckpoint({ path, input: { file } })).resumed).toBe(true);
  await writeFile(file, "2\n");
  await expect(openCheckpoint({ path, input: { file } })).rejects.toThrow("is of another input");
});

it.each([
  ["half of it", (text: string) => text.slice(0, text.length / 2), "is damaged"],
  ["a digit that changed", (text: string) => text.replace('\\"next\\":3', '\\"next\\":2'), "is damaged"],
  ["something else", () => '{"name":"a package"}', "is damaged"],
  ["nothing", () => "", "is damaged"],
])("%s is no checkpoint, and the message says what to do", async (_, damage, problem) => {
  const path = join(await folder(), "run.checkpoint");
  const checkpoint = await openCheckpoint({ path, input: "numbers" });
  await take(checkpoint, upTo(3), 3, [0]);
  await checkpoint.save();
  const text = await readFile(path, "utf8");
  const damaged = damage(text);
  expect(damaged).not.toBe(text);
  await writeFile(path, damaged);
  await expect(openCheckpoint({ path, input: "numbers" })).rejects.toMatchObject({
    code: "DT_STORE_DATA",
    message: expect.stringMatching(
      new RegExp(`${problem}; put it back from a copy, or delete it to begin with the first`),
    ),
  });
});

it("what a crash left of a checkpoint in the making does not disturb, and none is left after a save", async () => {
  const here = await folder();
  const path = join(here, "run.checkpoint");
  await writeFile(`${path}.new`, '{"sha2');
  await (await openCheckpoint({ path, input: "numbers" })).save();
  expect(await readdir(here)).toEqual(["run.checkpoint"]);
});

it("a removed checkpoint begins with the first record", async () => {
  const path = join(await folder(), "run.checkpoint");
  const checkpoint = await openCheckpoint({ path, input: "numbers" });
  await take(checkpoint, upTo(3), 3, [0, 1]);
  await checkpoint.save();
  await checkpoint.remove();
  expect((await openCheckpoint({ path, input: "numbers" })).resumed).toBe(false);
});

it("slips are told apart: a source that went past it, two sources, options that cannot be", async () => {
  const path = join(await folder(), "run.checkpoint");
  const checkpoint = await openCheckpoint({ path, input: "numbers" });
  await expect(checkpoint.ended(0)).rejects.toThrow("give throttled the source that checkpoint.resume(source) returns");
  checkpoint.resume([]);
  expect(() => checkpoint.resume([])).toThrow("a checkpoint is for one source");
  const open = (options: object) => openCheckpoint({ path, input: "numbers", ...options });
  await expect(open({ window: 0 })).rejects.toThrow("window is 0; give a whole number >= 1");
  await expect(open({ input: {} })).rejects.toThrow("input.file is undefined; give the path");
  await expect(open({ input: 7 })).rejects.toThrow("input is 7; give { file } or a name");
  await expect(open({ widow: 7 })).rejects.toThrow("did you mean window?");
});

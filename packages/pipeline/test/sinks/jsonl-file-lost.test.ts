import { appendFile, link, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCheckpoint, throttled } from "../../src/index.ts";
import { jsonlFile } from "../../src/sinks/jsonl/jsonl-file.ts";
import { succeeded } from "../support/endings.ts";
import { folder, linesOf } from "../support/folder.ts";

const harms: [string, (path: string) => Promise<unknown>, string][] = [
  ["deleted", (path) => rm(path), "deleted, moved or replaced"],
  ["moved away", (path) => rename(path, `${path}.1`), "deleted, moved or replaced"],
  [
    "replaced",
    async (path) => {
      await writeFile(`${path}.other`, "1\n2\n3\n");
      await rename(`${path}.other`, path);
    },
    "deleted, moved or replaced",
  ],
  ["cut to nothing", (path) => truncate(path, 0), "made shorter"],
  ["cut by a byte", (path) => truncate(path, 5), "made shorter"],
];

describe.each(["always", "batch", "never"] as const)("with fsync %s a file that is", (fsync) => {
  it.each(harms)("%s while it is written is an error of the next flush, and of the end", async (_, harm, why) => {
    for (const method of ["flush", "close"] as const) {
      const path = join(await folder(), "out.jsonl");
      const sink = jsonlFile({ path, fsync });
      await sink.open?.();
      await sink.write(succeeded("a", "one"));
      await sink.flush?.();
      await harm(path);
      await sink.write(succeeded("b", "2"));
      await expect(sink[method]?.()).rejects.toMatchObject({
        code: "DT_STORE_UNAVAILABLE",
        message: expect.stringContaining(why),
      });
      await expect(sink.close?.()).rejects.toThrow(why);
    }
  });
});

it("a file that is deleted ends the run, and is not in the checkpoint", async () => {
  const path = join(await folder(), "out.jsonl");
  const checkpoint = await openCheckpoint({ path: `${path}.checkpoint`, input: "numbers", interval: "1h" });
  const call = async (n: number): Promise<number> => {
    if (n === 5) await rm(path);
    return n;
  };
  const options = { checkpoint, success: jsonlFile({ path }), concurrency: 1 };
  await expect(throttled(checkpoint.resume([0, 1, 2, 3, 4, 5, 6]), call, options).run()).rejects.toThrow("deleted");
  expect((await openCheckpoint({ path: `${path}.checkpoint`, input: "numbers" })).resumed).toBe(false);
});

it("a file that is an output and the checkpoint ends the run", async () => {
  const path = join(await folder(), "out.jsonl");
  const checkpoint = await openCheckpoint({ path, input: "numbers", window: 10 });
  const options = { checkpoint, success: jsonlFile({ path }), concurrency: 1 };
  const run = throttled(checkpoint.resume(Array.from({ length: 100 }, (_, n) => n)), (n) => n, options).run();
  await expect(run).rejects.toThrow("deleted, moved or replaced");
});

it("a file that others lengthen, or that is reached by a link, is none of this", async () => {
  const dir = await folder();
  await symlink(join(dir, "real.jsonl"), join(dir, "out.jsonl"));
  const sink = jsonlFile({ path: join(dir, "out.jsonl") });
  await sink.write(succeeded("a", 1));
  await sink.flush?.();
  await link(join(dir, "real.jsonl"), join(dir, "second.jsonl"));
  await appendFile(join(dir, "second.jsonl"), "2\n");
  await sink.close?.();
  expect(await linesOf(join(dir, "real.jsonl"))).toEqual(["1", "2"]);
});

it("a file that is deleted before it is full does not end as another one's number", async () => {
  const path = join(await folder(), "out.jsonl");
  const sink = jsonlFile({ path, rotate: { bytes: 8 } });
  await sink.write(succeeded("a", 1_000_000));
  await sink.flush?.();
  await rm(path);
  await writeFile(path, "somebody's\n");
  await sink.write(succeeded("b", 2));
  await expect(sink.flush?.()).rejects.toThrow("deleted, moved or replaced");
  expect(await readFile(path, "utf8")).toBe("somebody's\n");
  await sink.close?.().catch(() => undefined);
});

describe("a link that was put beside a file is not followed", () => {
  it("where a checkpoint is written anew, and what a crash left there is no hindrance", async () => {
    const dir = await folder();
    const [path, victim] = [join(dir, "run.checkpoint"), join(dir, "victim")];
    await writeFile(victim, "mine");
    const checkpoint = await openCheckpoint({ path, input: "numbers" });
    for (const plant of [() => symlink(victim, `${path}.new`), () => writeFile(`${path}.new`, '{"half')]) {
      await plant();
      await checkpoint.save();
      expect(await readFile(victim, "utf8")).toBe("mine");
    }
    expect((await openCheckpoint({ path, input: "numbers" })).resumed).toBe(true);
    await mkdir(`${path}.new`);
    await expect(checkpoint.save()).rejects.toThrow();
  });

  it("where half a line is moved to", async () => {
    const dir = await folder();
    const [path, victim] = [join(dir, "out.jsonl"), join(dir, "victim")];
    await writeFile(victim, "mine");
    await writeFile(path, '{"half');
    await symlink(victim, `${path}.torn`);
    await expect(jsonlFile({ path }).open?.()).rejects.toThrow("ELOOP");
    expect([await readFile(victim, "utf8"), await readFile(path, "utf8")]).toEqual(["mine", '{"half']);
  });
});

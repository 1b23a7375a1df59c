import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Fsync, jsonlFile } from "../../src/sinks/jsonl/jsonl-file.ts";
import { succeeded } from "../support/endings.ts";
import { folder } from "../support/folder.ts";

/** Counts the real calls of fdatasync of every file; may make them fail first. */
async function countSyncs(path: string) {
  const file = await open(path, "a");
  const handle = Object.getPrototypeOf(file) as { datasync(): Promise<void> };
  await file.close();
  const original = handle.datasync;
  const counted = { syncs: 0, failing: false };
  handle.datasync = async function (this: object) {
    counted.syncs += 1;
    if (counted.failing) throw new Error("the disk did not take it");
    return original.call(this);
  };
  onTestFinished(() => {
    handle.datasync = original;
  });
  return counted;
}

it.each<[Fsync, number, number]>([
  ["always", 3, 3],
  ["batch", 0, 1],
  ["never", 0, 0],
])(
  "fsync %s: three endings one after the other cost %i syncs, and %i with a flush",
  async (fsync, written, flushed) => {
    const path = join(await folder(), "out.jsonl");
    const counted = await countSyncs(path);
    const sink = jsonlFile({ path, fsync });
    for (const n of [1, 2, 3]) await sink.write(succeeded(n, n));
    expect(counted.syncs).toBe(written);
    await sink.flush?.();
    expect(counted.syncs).toBe(flushed);
    await sink.close?.();
  },
);

it("with fsync always, endings that come together share their syncs", async () => {
  const path = join(await folder(), "out.jsonl");
  const counted = await countSyncs(path);
  const sink = jsonlFile({ path, fsync: "always" });
  await Promise.all(Array.from({ length: 500 }, (_, n) => sink.write(succeeded(n, n))));
  expect(counted.syncs).toBeLessThan(10);
  await sink.close?.();
});

it("a sync that failed is not forgotten: the next one would succeed, although what the first was for is lost", async () => {
  const path = join(await folder(), "out.jsonl");
  const counted = await countSyncs(path);
  const sink = jsonlFile({ path });
  await sink.write(succeeded(1, 1));
  counted.failing = true;
  await expect(sink.flush?.()).rejects.toThrow("could not be synced: the disk did not take it");
  counted.failing = false;
  await expect(sink.flush?.()).rejects.toThrow("could not be synced: the disk did not take it");
  await expect(sink.close?.()).rejects.toThrow("could not be synced: the disk did not take it");
});

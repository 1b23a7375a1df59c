import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, test } from "vitest";
import { Collector } from "../../src/console/collector.ts";
import { History } from "../../src/console/history.ts";
import type { Frame } from "../../src/console/protocol.ts";
import type { FleetReport } from "../../src/fleet/report.ts";
import { report } from "./support/reports.ts";

/** A collector in virtual time, whose store takes as long as is stated. */
class Scene {
  readonly runtime = new VirtualRuntime();
  readonly frames: Frame[] = [];
  /** When each read began. */
  readonly reads: number[] = [];
  watched = true;
  takesMs = 10;
  fault: string | undefined;
  underWay = 0;
  mostUnderWay = 0;
  readonly collector: Collector = new Collector({
    periodMs: 1_000,
    history: new History(),
    runtime: this.runtime,
    read: (signal) => this.#read(signal),
    isWatched: () => this.watched,
    onFrame: (frame) => this.frames.push(frame),
    textOf: (error) => (error as Error).message,
    wallMs: () => this.runtime.now(),
  });

  async start(): Promise<this> {
    await Promise.all([this.collector.start(), this.runtime.advance(this.takesMs)]);
    return this;
  }

  #read(signal: AbortSignal): Promise<FleetReport> {
    this.reads.push(this.runtime.now());
    this.underWay++;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    const { fault } = this;
    return new Promise<FleetReport>((resolve, reject) => {
      this.runtime.setTimer(() => {
        if (fault !== undefined) return reject(new Error(fault));
        this.collector.replied();
        resolve(report(this.runtime.now(), []));
      }, this.takesMs);
      signal.addEventListener("abort", () => reject(signal.reason));
    }).finally(() => {
      this.underWay--;
    });
  }
}

describe("a collector", () => {
  test("reads once a period, and sends each frame", async () => {
    const scene = await new Scene().start();
    await scene.runtime.advance(10_500);
    expect(scene.reads.length).toBe(11);
    expect(scene.frames.every(({ error }) => error === undefined)).toBe(true);
    expect(scene.frames.length).toBe(11);
  });

  test("never reads twice at a time: a large fleet is read as often as it can be", async () => {
    const scene = await new Scene().start();
    scene.takesMs = 1_700;
    await scene.runtime.advance(20_000);
    expect(scene.mostUnderWay).toBe(1);
    expect(scene.reads.length).toBe(11);
    expect(scene.frames.every(({ error }) => error === undefined)).toBe(true);
  });

  test("reads seldom without a page, and soon again for one that opens", async () => {
    const scene = await new Scene().start();
    scene.watched = false;
    await scene.runtime.advance(31_000);
    const before = scene.reads.length;
    expect(before).toBeLessThanOrEqual(8);
    await scene.runtime.advance(1_500);
    expect(scene.reads.length).toBe(before);
    scene.watched = true;
    scene.collector.hurry();
    await scene.runtime.advance(2_000);
    expect(scene.reads.length).toBeGreaterThan(before);
  });

  test("reports a store that does not reply after two seconds, each second, although the request has a longer deadline", async () => {
    const scene = await new Scene().start();
    scene.takesMs = 8_000;
    scene.fault = "the deadline is over";
    await scene.runtime.advance(1_000);
    const askedMs = scene.reads.at(-1) as number;
    await scene.runtime.advance(7_000);
    const failed = scene.frames.filter(({ error }) => error !== undefined);
    expect(failed[0]?.error).toBe("the store has not replied for 2 s");
    expect((failed[0]?.atMs ?? 0) - askedMs).toBe(2_000);
    expect(failed.map(({ atMs }) => atMs)).toEqual(failed.map((_, i) => (failed[0]?.atMs ?? 0) + 1_000 * i));
    expect(scene.mostUnderWay).toBe(1);
  });

  test("asks a store that is away less and less often, goes on with frames, and recovers", async () => {
    const scene = await new Scene().start();
    scene.fault = "connection refused";
    await scene.runtime.advance(60_000);
    const pauses = scene.reads.slice(2).map((at, i) => at - (scene.reads[i + 1] as number));
    expect(pauses.slice(0, 3)).toEqual(pauses.slice(0, 3).toSorted((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(5_000);
    expect(pauses.at(-1)).toBeLessThanOrEqual(6_010);
    const failed = scene.frames.filter(({ error }) => error === "connection refused");
    expect(failed.length).toBeGreaterThan(50);
    scene.fault = undefined;
    await scene.runtime.advance(7_000);
    expect(scene.frames.at(-1)?.error).toBeUndefined();
    const reads = scene.reads.length;
    await scene.runtime.advance(5_000);
    expect(scene.reads.length - reads).toBe(5);
  });

  test("fails at its start where the store cannot be read", async () => {
    const scene = new Scene();
    scene.fault = "no such file";
    await expect(scene.start()).rejects.toThrow("no such file");
  });

  test("ends the read under way when it stops, and reads no more", async () => {
    const scene = await new Scene().start();
    scene.takesMs = 100_000;
    await scene.runtime.advance(1_500);
    expect(scene.underWay).toBe(1);
    await scene.collector.stop();
    expect(scene.underWay).toBe(0);
    const [{ length }, frames] = [scene.reads, scene.frames.length];
    await scene.runtime.advance(10_000);
    expect([scene.reads.length, scene.frames.length]).toEqual([length, frames]);
  });
});

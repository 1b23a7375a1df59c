import { uptime } from "node:os";
import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, systemRuntime } from "../../src/index.ts";
import { bootTimeOf } from "../../src/runtime/boot-time.ts";
import { SleepWatch } from "../../src/runtime/sleep-watch.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const os = (uptime?: () => number) => ({ getBuiltinModule: () => (uptime ? { uptime } : {}) });

describe("the boot time", () => {
  it("is read where the local clock leaves out what the machine was suspended", () => {
    expect(bootTimeOf({ platform: "linux", ...os(() => 12.34) })?.()).toBe(12_340);
    expect(bootTimeOf({ platform: "android", ...os(() => 7) })?.()).toBe(7_000);
    for (const platform of ["darwin", "win32"]) expect(bootTimeOf({ platform, ...os(() => 1) })).toBeUndefined();
  });

  it("is left out in browsers, before Node 20.16, and where the system does not say", () => {
    expect(bootTimeOf(undefined)).toBeUndefined();
    expect(bootTimeOf({})).toBeUndefined();
    expect(bootTimeOf({ platform: "linux" })).toBeUndefined();
    expect(bootTimeOf({ platform: "linux", ...os() })).toBeUndefined();
    const refuses = (): number => {
      throw new Error("uv_uptime returned EPERM");
    };
    expect(bootTimeOf({ platform: "android", ...os(refuses) })).toBeUndefined();
  });

  it.runIf(process.platform === "linux")("of the real runtime is the machine's", () => {
    expect(Math.abs((systemRuntime.bootTimeMs?.() ?? 0) - uptime() * 1_000)).toBeLessThan(2_000);
  });

  it("is a function or left out in a runtime that is handed in", () => {
    const runtime = { now: () => 0, random: () => 0, setTimer: () => ({ cancel: () => undefined }) };
    const options = { name: "g", max: 1, store: new MemoryStore() };
    expect(() => createThrottle({ ...options, runtime })).not.toThrow();
    expect(() => createThrottle({ ...options, runtime: { ...runtime, bootTimeMs: 5 as never } })).toThrow(
      /bootTimeMs.*give a function, or leave it out/,
    );
  });
});

describe("a watch for suspensions", () => {
  it("notices each once, also as the sum of short ones, and not the passing of time", () => {
    const runtime = new VirtualRuntime();
    const watch = new SleepWatch(runtime);
    runtime.jump(100_000);
    expect(watch.noticed()).toBe(false);
    runtime.suspend(12_000);
    expect([watch.noticed(), watch.noticed()]).toEqual([true, false]);
    runtime.suspend(900);
    expect(watch.noticed()).toBe(false);
    runtime.suspend(900);
    expect([watch.noticed(), watch.noticed()]).toEqual([true, false]);
  });

  it("does without a reading, and with one that fails now and then", () => {
    const world = new VirtualRuntime();
    const { now, random, setTimer } = world;
    const watch = new SleepWatch({ now: now.bind(world), random, setTimer });
    world.suspend(60_000);
    expect(watch.noticed()).toBe(false);
    let fails = true;
    const shaky = new SleepWatch({
      now: now.bind(world),
      random,
      setTimer,
      bootTimeMs: () => (fails ? Number.NaN : world.bootTimeMs()),
    });
    world.suspend(60_000);
    fails = false;
    expect(shaky.noticed()).toBe(false);
    fails = true;
    world.suspend(60_000);
    expect(shaky.noticed()).toBe(false);
    fails = false;
    expect(shaky.noticed()).toBe(true);
  });
});

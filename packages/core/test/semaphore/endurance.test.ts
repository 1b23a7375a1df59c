import { describe, expect, it } from "vitest";
import type { CoordinationStore, Semaphore, SemaphoreOptions } from "../../src/index.ts";
import { altered, SlotsWorld } from "../support/slots-world.ts";

async function started(world: SlotsWorld, options: Partial<SemaphoreOptions> = {}): Promise<Semaphore> {
  const semaphore = world.semaphore(options);
  await semaphore.start();
  return semaphore;
}

/** The ids of the members that the store knows. */
async function membersOf(world: SlotsWorld): Promise<string[]> {
  const { members } = await world.memory.inspect("semaphore/ocr");
  return members.map(({ id }) => id);
}

describe("a process that is fenced", () => {
  it("is so for as long as it is not stopped, and, while nothing runs, refuses callers instead of leaving them to wait", async () => {
    const world = new SlotsWorld();
    const old = await started(world, { memberId: "a" });
    await started(world, { memberId: "a" });
    await world.runtime.advance(3_000);
    expect(old.status().state).toBe("fenced");
    expect(old.tryAcquire()).toBeUndefined();
    await expect(old.acquire()).rejects.toMatchObject({ code: "DT_MEMBER_FENCED" });
    await old.stop();
    expect(old.status().state).toBe("stopped");
  });

  it("loses the slots of calls that run with the reason, once they are not valid any more", async () => {
    const world = new SlotsWorld();
    const old = await started(world, { memberId: "a" });
    const { signal } = await old.acquire();
    await started(world, { memberId: "a" });
    await world.runtime.advance(8_000);
    expect(signal.reason).toMatchObject({ code: "DT_SLOT_LOST", message: /another process has its memberId/ });
  });
});

describe("callers with one signal", () => {
  it("give up all at once, however many they are", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    const slot = await semaphore.acquire(2);
    const ending = new AbortController();
    const { signal } = ending;
    const outcomes: unknown[] = [];
    for (let i = 0; i < 10_000; i++)
      semaphore.acquire(1, { signal }).catch((error: unknown) => void outcomes.push(error));
    // A listener that throws is reported as an uncaught exception, which fails the run.
    ending.abort(new Error("ended"));
    await world.runtime.advance(10);
    expect(outcomes).toHaveLength(10_000);
    expect(semaphore.status().waiting).toBe(0);
    slot.release();
    expect(semaphore.tryAcquire(2)).toBeDefined();
  });
});

describe("a store that needs a set-up", () => {
  it("is told of the calls that still run in a semaphore that was stopped, after it has forgotten them", async () => {
    const setUp = async (signal?: AbortSignal): Promise<void> => signal?.throwIfAborted();
    const world = new SlotsWorld(1, (store) => altered(store, { setUp }));
    const semaphore = await started(world, { memberId: "a" });
    const slot = await semaphore.acquire(2);
    await semaphore.stop();
    world.isDown = true;
    await started(world, { memberId: "b", store: world.memory });
    await world.runtime.advance(13_000);
    expect(await membersOf(world)).toEqual(["b"]);
    world.isDown = false;
    await world.runtime.advance(3_000);
    expect(await membersOf(world)).toEqual(["b", "a"]);
    slot.release();
    await world.runtime.advance(100);
    expect(await membersOf(world)).toEqual(["b"]);
  });

  it("is asked again after a pause where its set-up fails", async () => {
    let tries = 0;
    let isBroken = false;
    const setUp = async (): Promise<void> => {
      await world.elapsed(1);
      tries += 1;
      if (isBroken) throw new Error("no set-up");
    };
    const world: SlotsWorld = new SlotsWorld(1, (store) => altered(store, { setUp }));
    const semaphore = await Promise.all([started(world), world.runtime.advance(10)]).then(([it]) => it);
    world.isDown = true;
    await started(world, { store: world.memory });
    await world.runtime.advance(13_000);
    isBroken = true;
    world.isDown = false;
    tries = 0;
    await world.runtime.advance(10_000);
    expect(tries).toBeGreaterThan(5);
    expect(tries).toBeLessThan(30);
    isBroken = false;
    await world.runtime.advance(2_000);
    expect(semaphore.status().valid).toBe(true);
  });
});

describe("a process that the store has forgotten", () => {
  it("leaves no row behind where it is stopped while it registers again", async () => {
    const world = new SlotsWorld();
    const { memory } = world;
    let isSlow = false;
    const store = altered<CoordinationStore>(world.store, {
      // What was sent arrives, whatever becomes of the request.
      register: async (group, registration) => {
        if (isSlow) await world.elapsed(200);
        return memory.register(group, registration);
      },
    });
    const semaphore = await started(world, { memberId: "a", store });
    world.isDown = true;
    await started(world, { memberId: "b", store: memory });
    await world.runtime.advance(13_000);
    let stopping: Promise<void> | undefined;
    semaphore.on("forgotten", () => {
      world.runtime.setTimer(() => {
        stopping = semaphore.stop();
      }, 100);
    });
    isSlow = true;
    world.isDown = false;
    await world.runtime.advance(3_000);
    expect(stopping).toBeDefined();
    await stopping;
    expect(await membersOf(world)).toEqual(["b"]);
  });
});

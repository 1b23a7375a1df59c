import { describe, expect, it } from "vitest";
import type { CoordinationStore, DtError, Semaphore } from "../../src/index.ts";
import { altered, SlotsWorld } from "../support/slots-world.ts";

const caught = async (semaphore: Semaphore): Promise<DtError> =>
  semaphore.acquire(1, { timeout: 0 }).then(
    () => expect.unreachable("a slot was granted"),
    (error: DtError) => error,
  );

const losesData = (store: CoordinationStore): CoordinationStore =>
  altered(store, { capabilities: { ...store.capabilities, losesData: true } });

describe("the message of a call that got no slot names the reason", () => {
  it("calls of others", async () => {
    const semaphore = new SlotsWorld().semaphore({ max: 1 });
    await semaphore.acquire();
    const error = await caught(semaphore);
    expect([error.code, error.message]).toEqual(["DT_TIMEOUT", expect.stringMatching(/max is too low$/)]);
    const limited = await semaphore.run(() => 1, { whenLimited: "throw" }).catch((refused: DtError) => refused.message);
    expect(limited).toMatch(/not free now \(calls end too late, or max is too low\)/);
  });

  it("a group that learns, which the status shows", async () => {
    const world = new SlotsWorld(1, losesData);
    const semaphore = world.semaphore();
    await semaphore.start();
    expect((await caught(semaphore)).message).toMatch(/the group is new on a store that can lose its data/);
    expect(semaphore.status().learning).toBe(true);
    await world.runtime.advance(11_000);
    expect(semaphore.tryAcquire()).toBeDefined();
    expect(semaphore.status().learning).toBe(false);
  });

  it("a store that is away, with its error", async () => {
    const world = new SlotsWorld();
    const semaphore = world.semaphore();
    await semaphore.start();
    world.isDown = true;
    await world.runtime.advance(6_000);
    expect((await caught(semaphore)).message).toMatch(/the store has not answered \(DT_STORE_\w+: /);
  });

  it("a lower max, while more is in use", async () => {
    const semaphore = new SlotsWorld().semaphore({ max: 3 });
    await semaphore.acquire();
    await semaphore.acquire();
    semaphore.update({ max: 1 });
    expect((await caught(semaphore)).message).toMatch(/since max was lowered/);
  });

  it("the cap of this process", async () => {
    const semaphore = new SlotsWorld().semaphore({ max: 3 });
    await semaphore.acquire();
    semaphore.cap(1);
    expect((await caught(semaphore)).message).toMatch(/cap\(1\) bounds this process/);
  });
});

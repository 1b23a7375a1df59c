import { createThrottle, type StoreLostOption, type Throttle } from "@dt/core";
import { type RedisServer, startRedis, until } from "@dt-tooling/backends";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RedisStore, redisStore } from "../src/index.ts";

/** A share of 12 every 200 ms, valid for about a second. */
const LIMIT = 12;

let redis: RedisServer;
let store: RedisStore | undefined;
let throttle: Throttle | undefined;

beforeEach(async () => {
  redis = await startRedis({ control: true });
});

afterEach(async () => {
  await throttle?.stop();
  await store?.close();
  await redis.stop();
});

async function started(onStoreLost: StoreLostOption): Promise<Throttle> {
  store = redisStore({ url: redis.url, timeout: 500 });
  throttle = createThrottle({
    group: "g",
    max: LIMIT,
    interval: 200,
    staleAfter: "1.6s",
    syncInterval: 200,
    storeTimeout: 500,
    learning: 600,
    store,
    onStoreLost,
  });
  const starting = throttle;
  // A start that fails may be repeated; a busy machine may take longer than the deadline that such short epochs ask for.
  await until("the throttle has started", 20_000, () => starting.start().then(() => true));
  await granting(LIMIT);
  return throttle;
}

/** Waits until an epoch grants exactly this much. */
async function granting(tokens: number): Promise<void> {
  await until(`an epoch that grants ${tokens}`, 15_000, () => {
    throttle?.tryAcquire(1);
    return throttle?.status().share === tokens;
  });
}

type Fault = { readonly begin: () => Promise<void>; readonly end: () => Promise<void> };

const FAULTS: Record<string, () => Fault> = {
  "stopped (SIGSTOP)": () => ({ begin: async () => redis.pause(), end: async () => redis.resume() }),
  "killed, and back with its data": () => ({
    begin: async () => redis.kill(),
    end: async () => redis.restart({ keepData: true }),
  }),
  "killed, and back without its data": () => ({
    begin: async () => redis.kill(),
    end: async () => redis.restart({ keepData: false }),
  }),
};

describe.each(Object.keys(FAULTS))("while Redis is %s", (name) => {
  it("stop: nothing is granted past the validity, acquire fails instead of hanging, and the throttle recovers by itself", async () => {
    const subject = await started("stop");
    const fault = (FAULTS[name] as () => Fault)();
    await fault.begin();
    await granting(0);
    await expect(subject.acquire(1)).rejects.toMatchObject({ code: expect.stringMatching(/^DT_STORE_/) });
    expect(subject.tryAcquire(1)).toBe(0);
    await fault.end();
    await granting(LIMIT);
    await until("a caller that waits is served", 15_000, () => subject.acquire(1).then((granted) => granted === 1));
  });

  it("floor: max / maxProcessors is granted for as long as it lasts, and everything again afterwards", async () => {
    await started({ type: "floor", maxProcessors: 4 });
    const fault = (FAULTS[name] as () => Fault)();
    await fault.begin();
    await granting(LIMIT / 4);
    await fault.end();
    await granting(LIMIT);
  });

  it("hold: the last share goes on for the stated time, then stops, and is back afterwards", async () => {
    const subject = await started({ type: "hold", for: "3s" });
    const fault = (FAULTS[name] as () => Fault)();
    const lost = new Promise<string>((resolve) => subject.on("validityLost", ({ policy }) => resolve(policy)));
    await fault.begin();
    expect(await lost).toBe("hold");
    expect(subject.status().share).toBe(LIMIT);
    await granting(0);
    await fault.end();
    await granting(LIMIT);
  });
});

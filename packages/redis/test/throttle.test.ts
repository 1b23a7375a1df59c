import { createThrottle, type StoreLostOption, type Throttle } from "@dt/core";
import { type RedisServer, startRedis, until } from "@dt-tooling/backends";
import { describe, it } from "vitest";
import { redisStore } from "../src/index.ts";

/** A share of 12 every 200 ms, valid for about a second. */
const LIMIT = 12;

/** A throttle that has all of the limit, on a server of its own. */
interface Started {
  readonly redis: RedisServer;
  readonly throttle: Throttle;
  /** Waits until an epoch grants exactly this much. */
  granting(tokens: number): Promise<void>;
}

async function started(onStoreLost: StoreLostOption, finished: (end: () => Promise<void>) => void): Promise<Started> {
  const redis = await startRedis({ control: true });
  finished(() => redis.stop());
  const store = redisStore({ url: redis.url, timeout: 500 });
  finished(() => store.close());
  const throttle = createThrottle({
    name: "g",
    max: LIMIT,
    interval: 200,
    staleAfter: "1.6s",
    syncInterval: 200,
    storeTimeout: 500,
    learning: 600,
    store,
    onStoreLost,
  });
  finished(() => throttle.stop());
  const granting = async (tokens: number): Promise<void> => {
    await until(`an epoch that grants ${tokens}`, 15_000, () => {
      throttle.tryAcquire(1);
      return throttle.status().share === tokens;
    });
  };
  // A start that fails may be repeated; a busy machine may take longer than the deadline that such short epochs ask
  // for.
  await until("the throttle has started", 20_000, () => throttle.start().then(() => true));
  await granting(LIMIT);
  return { redis, throttle, granting };
}

interface Fault {
  readonly begin: (redis: RedisServer) => Promise<void>;
  readonly end: (redis: RedisServer) => Promise<void>;
}

const FAULTS: Record<string, Fault> = {
  "stopped (SIGSTOP)": { begin: (redis) => redis.pause(), end: (redis) => redis.resume() },
  "killed, and back with its data": {
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart({ keepData: true }),
  },
  "killed, and back without its data": {
    begin: (redis) => redis.kill(),
    end: (redis) => redis.restart({ keepData: false }),
  },
};

// At the same time: they mostly wait, each for its own server.
describe.concurrent.each(Object.entries(FAULTS))("while Redis is %s", (_, fault) => {
  it("stop: nothing is granted past the validity, acquire fails instead of hanging, and the throttle recovers by itself", async ({
    expect,
    onTestFinished,
  }) => {
    const { redis, throttle, granting } = await started("stop", onTestFinished);
    await fault.begin(redis);
    await granting(0);
    await expect(throttle.acquire(1)).rejects.toMatchObject({ code: expect.stringMatching(/^DT_STORE_/) });
    expect(throttle.tryAcquire()).toBe(false);
    await fault.end(redis);
    await granting(LIMIT);
    await until("a caller that waits is served", 15_000, () => throttle.acquire().then(() => true));
  });

  it("floor: max / maxMembers is granted for as long as it lasts, and everything again afterwards", async ({
    onTestFinished,
  }) => {
    const { redis, granting } = await started({ type: "floor", maxMembers: 4 }, onTestFinished);
    await fault.begin(redis);
    await granting(LIMIT / 4);
    await fault.end(redis);
    await granting(LIMIT);
  });

  it("hold: the last share goes on for the stated time, then stops, and is back afterwards", async ({
    expect,
    onTestFinished,
  }) => {
    const { redis, throttle, granting } = await started({ type: "hold", for: "3s" }, onTestFinished);
    const lost = new Promise<string>((resolve) => throttle.on("validityLost", ({ policy }) => resolve(policy)));
    await fault.begin(redis);
    expect(await lost).toBe("hold");
    expect(throttle.status().share).toBe(LIMIT);
    await granting(0);
    await fault.end(redis);
    await granting(LIMIT);
  });
});

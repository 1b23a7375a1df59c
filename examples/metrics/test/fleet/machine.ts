import type { Redis } from "ioredis";

/** So often a look is taken, and so long an answer takes where processes wait for a processor. */
const EVERY_MS = 100;
const SLOW_MS = 100;

/** Looks whether the machine is so busy that a Redis, without a proxy, is slow for this process. */
export class Machine {
  /** When an answer was last slow, as `Date.now()`; 0 where none was. */
  slowAtMs = 0;
  readonly #looking: NodeJS.Timeout;

  constructor(redis: Redis) {
    this.#looking = setInterval(async () => {
      const sentMs = performance.now();
      await redis.ping().catch(() => undefined);
      if (performance.now() - sentMs > SLOW_MS) this.slowAtMs = Date.now();
    }, EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#looking);
  }
}

import { Effect, Layer } from "effect";
import { RateLimiter } from "effect/persistence";

const getPage = (page) =>
  Effect.tryPromise((signal) => fetch(`${process.env.API_URL}/pages/${page}`, { signal }).then((it) => it.text()));

const program = Effect.gen(function* () {
  const withLimiter = yield* RateLimiter.makeWithRateLimiter;
  const limited = withLimiter({ key: "api", limit: 10, window: "1 second", onExceeded: "delay" });
  const numbers = Array.from({ length: 20 }, (_, page) => page);
  return yield* Effect.forEach(numbers, (page) => limited(getPage(page)), { concurrency: "unbounded" });
});

const memory = RateLimiter.layer.pipe(Layer.provide(RateLimiter.layerStoreMemory));
const pages = await Effect.runPromise(Effect.provide(program, memory));
console.log(`${pages.length} pages`);

import { createThrottle } from "@dt/core";
import { redisStore } from "@dt/redis";
import { Effect } from "effect";

const getPage = (page) =>
  Effect.tryPromise((signal) => fetch(`${process.env.API_URL}/pages/${page}`, { signal }).then((it) => it.text()));

const store = Effect.acquireRelease(
  Effect.sync(() => redisStore({ url: process.env.REDIS_URL })),
  (it) => Effect.promise(() => it.close()),
);
const program = Effect.gen(function* () {
  const throttle = yield* Effect.acquireRelease(
    Effect.map(store, (it) => createThrottle({ name: "api", rate: "10/s", release: "even", store: it })),
    (it) => Effect.promise(() => it.stop()),
  );
  const turn = Effect.tryPromise((signal) => throttle.acquire(1, { signal }));
  const numbers = Array.from({ length: 20 }, (_, page) => page);
  return yield* Effect.forEach(numbers, (page) => Effect.andThen(turn, getPage(page)), { concurrency: "unbounded" });
});

const pages = await Effect.runPromise(Effect.scoped(program));
console.log(`${pages.length} pages`);

import { isFinal, take } from "./asking.ts";
import type { CallerContext } from "./callers.ts";

/**
 * Reads a source of items in batches, as a pipeline does, beside a caller that polls: often the source lags, so that a
 * batch goes out with less than was granted, now and then in a later epoch, in which others were granted tokens
 * meanwhile.
 */
export function batches(context: CallerContext): void {
  readOn(context);
  poll(context);
}

/**
 * Of this process's callers the only one that waits for tokens: what was granted last, but for those that poll, was
 * granted to it.
 */
function readOn(context: CallerContext): void {
  read(context).then(
    () => context.takeOver(),
    (error: unknown) => {
      if (!isFinal(error)) context.runtime.setTimer(() => readOn(context), context.random.between(1, 50));
    },
  );
}

function poll(context: CallerContext): void {
  const { random, runtime, settings } = context;
  if (!take(context, random.integer(1, settings.max))) return;
  runtime.setTimer(() => poll(context), random.between(0, 0.4) * settings.intervalMs);
}

async function read(context: CallerContext): Promise<void> {
  const { process, random, settings } = context;
  const size = random.pick([1, 7, settings.max, 2 * settings.max]);
  const linger = random.pick([1, 10, 100, 0.7 * settings.intervalMs]);
  for await (const batch of process.throttle.batches(items(context), { size, linger })) context.batched(batch.length);
}

/** Items in bursts. */
async function* items({ random, runtime, settings, ended }: CallerContext): AsyncGenerator<number> {
  for (let item = 0; !ended(); item++) {
    yield item;
    if (random.chance(0.8)) continue;
    const pauseMs = random.pick([random.between(0, 20), random.between(0, settings.intervalMs)]);
    await new Promise<void>((resolve) => runtime.setTimer(resolve, pauseMs));
  }
}

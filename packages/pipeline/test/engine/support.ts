import { VirtualRuntime } from "@dt/core/testing";
import { type CallFor, type Ending, type PipelineOptions, type Source, throttled } from "../../src/index.ts";

/** An error as clients throw it that carries a status. */
export function httpError(status: number): Error {
  return Object.assign(new Error(`status ${status}`), { status });
}

/** A promise that is settled from outside. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void; fail: (error: unknown) => void } {
  let open!: (value: T) => void;
  let fail!: (error: unknown) => void;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** 0, 1, 2, ... up to a number; remembers how many were read, and whether it was closed. */
export function numbers(end: number) {
  const source = {
    read: 0,
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        while (source.read < end) {
          source.read += 1;
          yield source.read - 1;
        }
      } finally {
        source.closed = true;
      }
    },
  };
  return source;
}

/**
 * A pipeline whose endings of all kinds come into one list. Its time stands still, so that what happens until every
 * promise has settled is always the same.
 */
export function listed<Input, Result>(
  source: Source<Input>,
  call: CallFor<Input, Result>,
  options: PipelineOptions<Input, Result> = {},
) {
  const endings: Ending<Input, Result>[] = [];
  const list = (ending: Ending<Input, Result>): void => void endings.push(ending);
  const outputs = { success: list, throttled: list, error: list };
  const pipeline = throttled(source, call, { ...outputs, runtime: new VirtualRuntime(), ...options });
  /** As texts: what came out for a success, else who or what. */
  const texts = (): string[] =>
    endings.map((ending) => {
      if (ending.kind === "success") return `${ending.input} -> ${ending.output}`;
      return ending.kind === "throttled" ? `${ending.input} throttled by ${ending.by}` : `${ending.input} error`;
    });
  return { pipeline, endings, texts };
}

/** Runs to the end in simulated time, or up to `stepMs` beyond it. */
export async function through<T>(runtime: VirtualRuntime, run: Promise<T>, stepMs = 0): Promise<T> {
  let over = false;
  const end = (): void => {
    over = true;
  };
  run.then(end, end);
  await runtime.advance(0);
  while (!over) {
    if (runtime.now() > 86_400_000 || runtime.nextTimerMs === Number.POSITIVE_INFINITY)
      throw new Error(`it did not end, at ${runtime.now()} ms`);
    await runtime.advance(Math.max(stepMs, runtime.nextTimerMs - runtime.now()));
  }
  return run;
}

import { Stream } from "openai/streaming";
import { describe, expect, it } from "vitest";
import { watchWork } from "../src/work-end.ts";

function watching<T>(value: T) {
  const seen = { items: [] as unknown[], ended: 0 };
  const listener = { item: (one: unknown) => void seen.items.push(one), ended: () => void seen.ended++ };
  return { seen, value: watchWork(value, listener) as T };
}

async function* numbers(fails = false): AsyncGenerator<number> {
  yield 1;
  if (fails) throw new Error("cut");
  yield 2;
}

const streamOf = (...chunks: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

describe("the work of a call", () => {
  it.each([[7], ["text"], [undefined], [null], [{ usage: 1 }], [[1, 2]]])("is over with the result %j", (result) => {
    const { seen, value } = watching(result);
    expect(value).toBe(result);
    expect(seen).toEqual({ items: [result], ended: 1 });
  });

  it("that is an async iterable is over when it is read to its end", async () => {
    const { seen, value } = watching(numbers());
    expect(seen.ended).toBe(0);
    const read: number[] = [];
    for await (const number of value) read.push(number);
    expect(read).toEqual([1, 2]);
    expect(seen).toEqual({ items: [1, 2], ended: 1 });
  });

  it("that is an async iterable is over when its reader leaves", async () => {
    const { seen, value } = watching(numbers());
    for await (const _ of value) break;
    expect(seen).toEqual({ items: [1], ended: 1 });
  });

  it("that is an async iterable is over when it fails", async () => {
    const { seen, value } = watching(numbers(true));
    const read = async (): Promise<void> => {
      for await (const _ of value) expect(seen.ended).toBe(0);
    };
    await expect(read()).rejects.toThrow("cut");
    expect(seen).toEqual({ items: [1], ended: 1 });
  });

  it("that is a generator is watched where it is read by hand", async () => {
    const { seen, value } = watching(numbers());
    await value.next();
    await value.return(undefined);
    expect(seen).toEqual({ items: [1], ended: 1 });
  });

  it("that is an async iterable is over when its reader leaves an iterator that cannot be told", async () => {
    const { seen, value } = watching({
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) }),
    });
    for await (const _ of value) break;
    expect(seen).toEqual({ items: [1], ended: 1 });
  });

  it("that is a stream of OpenAI's SDK is over whichever way it is read", async () => {
    const read = async (all: AsyncIterable<unknown>): Promise<unknown[]> => {
      const items: unknown[] = [];
      for await (const item of all) items.push(item);
      return items;
    };
    const made = () => watching(new Stream<number>(() => numbers(), new AbortController()));
    const inTwo = made();
    const [left, right] = inTwo.value.tee();
    expect(inTwo.seen.ended).toBe(0);
    expect([await read(left), await read(right)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(inTwo.seen).toEqual({ items: [1, 2], ended: 1 });
    const iterated = made();
    expect(await read(iterated.value)).toEqual([1, 2]);
    expect(iterated.seen).toEqual({ items: [1, 2], ended: 1 });
    const asBytes = made();
    expect(await read(asBytes.value.toReadableStream() as unknown as AsyncIterable<unknown>)).toHaveLength(2);
    expect(asBytes.seen).toEqual({ items: [1, 2], ended: 1 });
  });

  it("that is an iterable of a class keeps the class", async () => {
    class Answers {
      readonly id = "x";
      async *[Symbol.asyncIterator]() {
        yield 1;
      }
    }
    const answers = new Answers();
    const { seen, value } = watching(answers);
    expect(value).toBe(answers);
    for await (const _ of value) expect(seen.ended).toBe(0);
    expect(seen.ended).toBe(1);
  });

  it("that is a stream is over when it is read to its end", async () => {
    const { seen, value } = watching(streamOf("a", "b"));
    expect(value.locked).toBe(false);
    const reader = value.getReader();
    expect(value.locked).toBe(true);
    while (!(await reader.read()).done) expect(seen.ended).toBe(0);
    expect(seen.ended).toBe(1);
    expect(seen.items).toHaveLength(2);
  });

  it("that is a stream is over when it is iterated, piped, or cancelled", async () => {
    const iterated = watching(streamOf("a"));
    for await (const _ of iterated.value) expect(iterated.seen.ended).toBe(0);
    expect(iterated.seen.ended).toBe(1);
    const piped = watching(streamOf("a"));
    await piped.value.pipeTo(new WritableStream());
    expect(piped.seen.ended).toBe(1);
    const cancelled = watching(streamOf("a", "b"));
    await cancelled.value.cancel();
    expect(cancelled.seen.ended).toBe(1);
  });

  it("that is a stream is over when it fails", async () => {
    const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("cut")) });
    const { seen, value } = watching(failing);
    await expect(value.getReader().read()).rejects.toThrow("cut");
    expect(seen.ended).toBe(1);
  });

  it("that is an object with a stream is over with that stream, unless the field is a getter", async () => {
    const answer = { stream: streamOf("a"), request: {} };
    const { seen, value } = watching(answer);
    expect(value).toBe(answer);
    expect(seen.ended).toBe(0);
    await value.stream.pipeThrough(new TextDecoderStream()).pipeTo(new WritableStream());
    expect(seen).toMatchObject({ items: [expect.any(Uint8Array)], ended: 1 });
    const made = {
      get stream() {
        return streamOf("a");
      },
    };
    expect(watching(made).seen).toEqual({ items: [made], ended: 1 });
  });

  it("that is a response is over with its body, whichever way that is read", async () => {
    const json = { headers: { "content-type": "application/json" } };
    const asJson = watching(new Response('{"usage":{"total_tokens":5}}', json));
    expect(asJson.seen.ended).toBe(0);
    expect(await asJson.value.json()).toEqual({ usage: { total_tokens: 5 } });
    expect(asJson.seen).toEqual({ items: [{ usage: { total_tokens: 5 } }], ended: 1 });
    const left = watching(new Response(streamOf("{"), json));
    await left.value.body?.cancel();
    expect(left.seen).toEqual({ items: [], ended: 1 });
    const empty = watching(new Response(null, { status: 204 }));
    expect(empty.seen.ended).toBe(1);
  });

  it("that is a response is over when its copy is read", async () => {
    const { seen, value } = watching(Response.json({ n: 1 }));
    expect(await value.clone().json()).toEqual({ n: 1 });
    expect(seen).toEqual({ items: [{ n: 1 }], ended: 1 });
    expect(await value.json()).toEqual({ n: 1 });
    expect(seen.ended).toBe(1);
  });

  it("that cannot be watched is over at once", () => {
    const { seen, value } = watching(Object.freeze({ async *[Symbol.asyncIterator]() {} }));
    expect(Object.isFrozen(value)).toBe(true);
    expect(seen.ended).toBe(1);
  });

  it("that is a response of events reports the data of each", async () => {
    const events = ['data: {"n":1}\n\nda', 'ta: {"n":2}\r\n\r\ndata: [DONE]\n\n'];
    const { seen, value } = watching(
      new Response(streamOf(...events), { headers: { "content-type": "text/event-stream; charset=utf-8" } }),
    );
    expect(await value.text()).toBe(events.join(""));
    expect(seen).toEqual({ items: [{ n: 1 }, { n: 2 }], ended: 1 });
  });
});

import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { Batches } from "../../src/sinks/batches.ts";

/** Batches of at most three items, each of which is under way until it is let go. */
function held(lingerMs: number) {
  const runtime = new VirtualRuntime();
  const sent: (readonly string[])[] = [];
  const underWay: { done: () => void; fail: (error: Error) => void }[] = [];
  const batches = new Batches<string>({
    send: (items) =>
      new Promise((resolve, reject) => {
        sent.push(items);
        underWay.push({ done: resolve, fail: reject });
      }),
    most: 3,
    mostBytes: 1_000,
    lingerMs,
    runtime,
  });
  return { batches, sent, underWay, runtime };
}

/** Whether a promise has settled, once everything that is ready to run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

it("without lingering an item goes at once, and those that come meanwhile go together", async () => {
  const { batches, sent, underWay } = held(0);
  for (const item of ["a", "b", "c"]) await batches.add(item, 1);
  expect(sent).toEqual([["a"]]);
  underWay[0]?.done();
  const flushed = batches.flush();
  await isSettled(flushed);
  expect(sent).toEqual([["a"], ["b", "c"]]);
  underWay[1]?.done();
  await flushed;
});

it("an item waits for others as long as it may", async () => {
  const { batches, sent, runtime } = held(20);
  await batches.add("a", 1);
  await runtime.advance(19);
  await batches.add("b", 1);
  expect(sent).toEqual([]);
  await runtime.advance(1);
  expect(sent).toEqual([["a", "b"]]);
});

it("what has waited while another batch was under way is sent right after it", async () => {
  const { batches, sent, underWay, runtime } = held(20);
  for (const item of ["a", "b", "c", "d"]) await batches.add(item, 1);
  await runtime.advance(20);
  expect(sent).toEqual([["a", "b", "c"]]);
  underWay[0]?.done();
  await isSettled(Promise.resolve());
  expect(sent[1]).toEqual(["d"]);
});

it("a full batch waits for the one under way, and with it whoever adds to it", async () => {
  const { batches, sent, underWay } = held(20);
  for (const item of ["a", "b", "c", "d", "e"]) await batches.add(item, 1);
  const full = batches.add("f", 1);
  expect(await isSettled(full)).toBe(false);
  underWay[0]?.done();
  await full;
  expect(sent).toEqual([
    ["a", "b", "c"],
    ["d", "e", "f"],
  ]);
});

it("bytes fill a batch as well", async () => {
  const { batches, sent } = held(20);
  await batches.add("a", 1_000);
  expect(sent).toEqual([["a"]]);
});

it("a flush is over when what was there before it is sent, whatever comes meanwhile", async () => {
  const { batches, sent, underWay } = held(20);
  await batches.add("a", 1);
  const flushed = batches.flush();
  await batches.add("b", 1);
  underWay[0]?.done();
  await flushed;
  expect(sent[0]).toEqual(["a"]);
});

it("a failure is the end: nothing is sent after it, and everybody hears of it", async () => {
  const { batches, sent, underWay, runtime } = held(20);
  for (const item of ["a", "b", "c", "d", "e"]) await batches.add(item, 1);
  const waiting = [batches.add("f", 1), batches.flush()];
  underWay[0]?.fail(new Error("no server"));
  for (const promise of [...waiting, batches.add("g", 1), batches.flush(), batches.close()])
    await expect(promise).rejects.toThrow("no server");
  await runtime.advance(1_000);
  expect(sent.length).toBe(1);
});

it("closing sends the rest, and takes nothing more", async () => {
  const { batches, sent, underWay } = held(20);
  await batches.add("a", 1);
  const closed = batches.close();
  await expect(batches.add("b", 1)).rejects.toMatchObject({ code: "DT_STORE_CLOSED" });
  underWay[0]?.done();
  await closed;
  expect(sent).toEqual([["a"]]);
});

import { CallCombiner } from "@dt/cas";
import { expect, it } from "vitest";

it("calls that come while a batch runs make up the next one, up to the limit, in their order", async () => {
  const batches: number[][] = [];
  let finish = (): void => {};
  const combiner = new CallCombiner<number>((calls) => {
    batches.push([...calls]);
    return new Promise((resolve) => {
      finish = resolve;
    });
  }, 3);
  combiner.add(1);
  for (const call of [2, 3, 4, 5]) combiner.add(call);
  expect(batches).toEqual([[1]]);
  for (const expected of [[2, 3, 4], [5]]) {
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches.at(-1)).toEqual(expected);
  }
  finish();
  await new Promise((resolve) => setImmediate(resolve));
  combiner.add(6);
  expect(batches).toEqual([[1], [2, 3, 4], [5], [6]]);
});

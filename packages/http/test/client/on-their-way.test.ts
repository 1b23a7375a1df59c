import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { OnTheirWay } from "../../src/client/on-their-way.ts";

const WAIT = { timeoutMs: 60_000, signal: undefined };

it("a shorter pause that is told later does not end a longer one: one request goes first at the end of the longest", async () => {
  const runtime = new VirtualRuntime();
  const onTheirWay = new OnTheirWay("http://callee", 10, runtime);
  expect(onTheirWay.enter(WAIT)).toBe(true);
  const told = { left: [], refused: true };
  onTheirWay.told({ ...told, pauseMs: 2_000 }, 60_000);
  onTheirWay.told({ ...told, pauseMs: 500 }, 60_000);
  let gone = 0;
  for (let n = 0; n < 3; n++) void Promise.resolve(onTheirWay.enter(WAIT)).then(() => gone++);
  await runtime.advance(2_900);
  expect(gone).toBe(0);
  await runtime.advance(200);
  expect(gone).toBe(3);
});

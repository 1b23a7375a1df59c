import { createThrottle, MemoryStore } from "@dt/core";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("sends the third mail in the next second", async () => {
  const throttle = createThrottle({ name: "mail", max: 2, store: new MemoryStore() });
  const sent: string[] = [];
  const send = throttle.wrap(async (mail: string) => void sent.push(mail));
  const all = Promise.all([send("a"), send("b"), send("c")]);
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(["a", "b"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual(["a", "b", "c"]);
  await all;
  await throttle.stop();
});

import { afterEach, expect, test } from "vitest";
import { SourceProcess } from "../src/source-process.ts";

const script = new URL("./fixtures/talk.ts", import.meta.url);
const started: SourceProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.kill()));
});

function start(onLine?: (line: string) => void): SourceProcess {
  const child = new SourceProcess(script, ["you there"], onLine);
  started.push(child);
  return child;
}

test("says lines, which are heard also when nobody waited for them yet", async () => {
  const heard: string[] = [];
  const child = start((line) => heard.push(line));
  const asked = child.said("heard");
  child.tell("0");
  expect(await asked).toBe("0");
  expect(await child.said("hello")).toBe("you there");
  child.endInput();
  await child.finished();
  expect(heard).toEqual(["hello you there", "heard 0"]);
  expect([child.over, child.exitCode]).toEqual([true, 0]);
});

test("an exit code that is not 0 is an error, with what was written on standard error", async () => {
  const child = start();
  child.tell("3");
  child.endInput();
  await expect(child.finished()).rejects.toThrow(/ended with 3\ntrouble with 3/);
});

test("waiting for a line fails when the process ends without it, before or meanwhile, or when the time is over", async () => {
  const child = start();
  await child.said("hello");
  // Only whole words count.
  await expect(child.said("hell", 20)).rejects.toThrow(/did not within 20 ms say hell/);
  const waiting = expect(child.said("goodbye")).rejects.toThrow(/ended without saying goodbye/);
  await child.kill();
  await waiting;
  await expect(child.said("goodbye")).rejects.toThrow(/ended without saying goodbye/);
  await expect(child.finished()).rejects.toThrow(/ended with SIGKILL/);
});

test("one that is stopped says nothing until it goes on", async () => {
  const child = start();
  await child.said("hello");
  child.signal("SIGSTOP");
  child.tell("0");
  await expect(child.said("heard", 100)).rejects.toThrow(/did not/);
  child.signal("SIGCONT");
  expect(await child.said("heard")).toBe("0");
});

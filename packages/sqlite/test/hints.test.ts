import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { systemRuntime } from "@dt/core";
import type { Topic } from "@dt/core/store";
import { failure } from "@dt-tooling/backends/failure";
import { expect, it } from "vitest";
import { HintFile } from "../src/hint-file.ts";
import { hintsOf } from "../src/listen.ts";
import { OpenFile } from "../src/open-file.ts";
import { ref, registration, report } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";
import { until } from "./support/until.ts";

const sandbox = new Sandbox();

it("another process that joins wakes a listener", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  let hints = 0;
  await store.onHint("g", () => {
    hints += 1;
  });
  const child = sandbox.child("join", path, "g", "b");
  await child.said("ready");
  child.tell("go");
  await child.said("joined");
  await until("the listener is told", () => hints > 0);
});

it("heartbeats and other groups wake nobody", async () => {
  const path = sandbox.path();
  const [store, other] = [sandbox.store(path), sandbox.store(path)];
  await store.register("g", registration("a"));
  await store.sync("g", ref("a"), report(2));
  const hints: string[] = [];
  await store.onHint("g", () => void hints.push("g"));
  await store.onHint("h", () => void hints.push("h"));
  for (let seq = 3; seq < 50; seq++) await other.sync("g", ref("a"), report(seq, { held: 100 }));
  await other.register("h", registration("b"));
  await until("the other group's listener is told", () => hints.includes("h"));
  expect(hints).toEqual(["h"]);
});

it("listening that is given up at once does not deafen the next one", async () => {
  const path = sandbox.path();
  const [store, other] = [sandbox.store(path), sandbox.store(path)];
  const caller = new AbortController();
  const first = failure(store.onHint("g", () => {}, caller.signal));
  caller.abort();
  let hints = 0;
  await store.onHint("g", () => {
    hints += 1;
  });
  expect(await first).toMatchObject({ code: "DT_ABORTED" });
  await other.register("g", registration("a"));
  await until("the listener is told", () => hints > 0);
});

it("a topic that is listened to twice is told of what came in between", async () => {
  const path = sandbox.path();
  const other = sandbox.store(path);
  const hintFile = new HintFile(path);
  const file = new OpenFile(path, true, systemRuntime);
  const topics: Topic[] = [];
  const link = hintsOf(file, hintFile, { onHint: (topic) => void topics.push(topic), onLost: () => {} });
  const call = { what: "sqlite onHint", signal: new AbortController().signal, untilMs: 0, sent: false };
  const group: Topic = { kind: "group", name: "g" };
  await link.listen([group], call);
  await other.register("g", registration("a"));
  // Before the hint comes, which takes a turn of the event loop.
  await link.listen([group], call);
  await until("the topic is told", () => topics.length > 0);
  link.close();
  hintFile.close();
  file.close();
});

it("a deleted file of hints is made anew, and hints come again", async () => {
  const path = sandbox.path();
  const [store, other] = [sandbox.store(path), sandbox.store(path)];
  let hints = 0;
  await store.onHint("g", () => {
    hints += 1;
  });
  await other.register("g", registration("a"));
  await until("the listener is told", () => hints > 0);
  rmSync(`${path}-hints`);
  let joined = 0;
  hints = 0;
  await until("the listener is told again", async () => {
    joined += 1;
    await other.register("g", registration(`p${joined}`));
    return hints > 1;
  });
});

it("the file of hints stays one byte, however often it is written", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  for (let i = 0; i < 20; i++) await store.register("g", registration(`p${i}`));
  expect(statSync(`${path}-hints`).size).toBe(1);
});

it("a file of hints that cannot be watched is an error that says what to do", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.inspect("g");
  mkdirSync(`${path}-hints`);
  const error = await failure(store.onHint("g", () => {}));
  expect(error.code).toBe("DT_STORE_UNAVAILABLE");
  expect(error.message).toContain(`${path}-hints cannot be watched`);
  // Calls go on without hints.
  expect(await store.register("g", registration("a"))).toMatchObject({ members: 1 });
});

it("a file of hints that is a link to another file is not followed: what it points to stays as it is", async () => {
  const path = sandbox.path();
  const victim = sandbox.path();
  writeFileSync(victim, "precious");
  symlinkSync(victim, `${path}-hints`);
  const store = sandbox.store(path);
  await store.register("g", registration("a"));
  expect(readFileSync(victim, "utf8")).toBe("precious");
  const error = await failure(store.onHint("g", () => {}));
  expect(error.code).toBe("DT_STORE_UNAVAILABLE");
  expect(error.message).toContain(`${path}-hints cannot be watched for changes`);
  expect(error.message).toContain("remove what stands there if it is no regular file");
});

it("nor is a link to nothing made into a file", async () => {
  const path = sandbox.path();
  const elsewhere = sandbox.path();
  symlinkSync(elsewhere, `${path}-hints`);
  await sandbox.store(path).register("g", registration("a"));
  expect(existsSync(elsewhere)).toBe(false);
});

it("a file of hints that is a FIFO stops no process, whether somebody reads from it or not", {
  timeout: 30_000,
}, async () => {
  const path = sandbox.path();
  execFileSync("mkfifo", [`${path}-hints`]);
  // In a process of its own: one that waits for a reader waits in the kernel, and no timer of it runs.
  const child = sandbox.child("join", path, "g", "b");
  await child.said("ready");
  child.tell("go");
  await child.said("joined");
  const reader = openSync(`${path}-hints`, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const error = await failure(sandbox.store(path).onHint("g", () => {}));
    expect(error.message).toContain("it is no regular file");
  } finally {
    closeSync(reader);
  }
});

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  createGroupedPacer,
  createPacer,
  createSemaphore,
  createThrottle,
  isDtError,
  MemoryStore,
} from "../../src/index.ts";
import { Events } from "../../src/internal/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

interface Door {
  readonly opened: { readonly by: string };
  readonly closed: { readonly afterMs: number };
}

const ignore = (): void => undefined;

const door = (scope = "test-door"): Events<Door> =>
  new Events<Door>(scope, { opened: true, closed: true }, { door: 7 });

/** What is published on a channel while `act` runs. */
async function published(channel: string, act: () => unknown): Promise<unknown[]> {
  const messages: unknown[] = [];
  const hear = (message: unknown): void => void messages.push(message);
  subscribe(channel, hear);
  try {
    await act();
  } finally {
    unsubscribe(channel, hear);
  }
  return messages;
}

/** Errors that nobody caught until the microtasks and ticks after `act` are done. */
async function uncaught(act: () => unknown): Promise<unknown[]> {
  const errors: unknown[] = [];
  const hear = (error: unknown): void => void errors.push(error);
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", hear);
  try {
    await act();
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off("uncaughtException", hear);
    for (const other of others) process.on("uncaughtException", other);
  }
  return errors;
}

describe("listeners", () => {
  it("hear the events of their name until they leave", () => {
    const events = door();
    const heard: string[] = [];
    const leave = events.on("opened", ({ by }) => heard.push(by));
    events.on("closed", ({ afterMs }) => heard.push(`${afterMs} ms`));
    events.emit("opened", { by: "ann" });
    events.emit("closed", { afterMs: 5 });
    leave();
    leave();
    events.emit("opened", { by: "bob" });
    expect(heard).toEqual(["ann", "5 ms"]);
    expectTypeOf(events.on<"opened">)
      .parameter(1)
      .parameter(0)
      .toEqualTypeOf<Door["opened"]>();
  });

  it("who registers twice is called twice, and removed once", () => {
    const events = door();
    const calls: string[] = [];
    const listener = ({ by }: Door["opened"]): void => void calls.push(by);
    const leave = events.on("opened", listener);
    events.on("opened", listener);
    events.emit("opened", { by: "ann" });
    leave();
    events.emit("opened", { by: "bob" });
    expect(calls).toEqual(["ann", "ann", "bob"]);
  });

  it("one that throws disturbs neither the emitter nor the others, and its error is not lost", async () => {
    const events = door();
    const heard: string[] = [];
    events.on("opened", () => {
      throw new Error("listener");
    });
    events.on("opened", ({ by }) => heard.push(by));
    expect(await uncaught(() => events.emit("opened", { by: "ann" }))).toEqual([new Error("listener")]);
    expect(heard).toEqual(["ann"]);
  });

  it("unknown events, also those that every object has a property for, and what is no function are refused by name", () => {
    const known = "there is no such event; known are opened, closed";
    for (const name of ["open", "constructor", "__proto__"])
      expect(() => door().on(name as "opened", () => undefined)).toThrow(`event is ${JSON.stringify(name)}; ${known}`);
    expect(() => door().on("opened", "log" as never)).toThrow('listener is "log"; give a function');
  });
});

describe("channels", () => {
  it("carry each event with whose it is", async () => {
    const events = door();
    const act = (): void => events.emit("opened", { by: "ann" });
    expect(await published("dt:test-door:opened", act)).toEqual([{ door: 7, by: "ann" }]);
    expect(await published("dt:test-door:closed", act)).toEqual([]);
  });

  it("make an event observed while somebody subscribes, and only then", async () => {
    const events = door();
    const { observed } = events.topic("opened");
    const meanwhile: boolean[] = [];
    await published("dt:test-door:opened", () => meanwhile.push(events.has("opened"), events.has("closed")));
    expect([observed, ...meanwhile, events.has("opened")]).toEqual([false, true, false, false]);
  });

  it("a subscriber that throws disturbs nobody", async () => {
    const fail = (): void => {
      throw new Error("subscriber");
    };
    subscribe("dt:test-door:opened", fail);
    const heard: string[] = [];
    const events = door();
    events.on("opened", ({ by }) => heard.push(by));
    const errors = await uncaught(() => events.emit("opened", { by: "ann" }));
    unsubscribe("dt:test-door:opened", fail);
    expect([heard, errors]).toEqual([["ann"], [new Error("subscriber")]]);
  });

  it("tell of every throttle in the process, also of grants without waiting, and of errors of the store", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const throttle = createThrottle({ name: "g", memberId: "a", max: 12, store, runtime });
    const grants = await published("dt:throttle:grant", async () => {
      await throttle.start();
      await runtime.advance(1_000);
      throttle.tryAcquireUpTo(5);
      throttle.tryAcquireGrant(2);
      await throttle.acquireUpTo(3);
    });
    throttle.tryAcquireUpTo(1);
    const epoch = throttle.status().epoch;
    expect(grants).toEqual([5, 2, 3].map((tokens) => ({ name: "g", memberId: "a", epoch, tokens, waitedMs: 0 })));
    const errors = await published("dt:throttle:storeError", async () => {
      await store.close();
      await runtime.advance(2_000);
    });
    expect(errors[0]).toMatchObject({ name: "g", operation: "sync" });
    expect(isDtError((errors[0] as { readonly error: unknown }).error, "DT_STORE_CLOSED")).toBe(true);
    await throttle.stop();
  });

  it("are listed in docs/events.md, every one", () => {
    const page = readFileSync(new URL("../../../../docs/events.md", import.meta.url), "utf8");
    const listed = (scope: string): string =>
      [...page.matchAll(new RegExp(`^\\| \`(\\w+)\` \\| \`dt:${scope}:\\1\` \\|`, "gm"))]
        .map(([, name]) => name)
        .join(", ");
    const store = new MemoryStore();
    const throttle = createThrottle({ name: "g", max: 1, store });
    const pacer = createPacer({ name: "k", every: 1, store });
    const grouped = createGroupedPacer({ name: "k", every: 1, sites: { here: { store } }, site: "here" });
    const known = (limiter: { on(event: "grant", listener: () => void): unknown }): (() => unknown) => {
      return () => limiter.on("?" as "grant", ignore);
    };
    expect(known(throttle)).toThrow(new RegExp(`known are ${listed("throttle")}$`));
    const semaphore = createSemaphore({ name: "g", max: 1, store });
    expect(known(semaphore)).toThrow(new RegExp(`known are ${listed("semaphore")}$`));
    expect(known(pacer)).toThrow(new RegExp(`known are ${listed("pacer").replace(", stolen", "")}$`));
    expect(known(grouped)).toThrow(new RegExp(`known are ${listed("pacer")}$`));
  });
});

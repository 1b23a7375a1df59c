import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { MemoryStore } from "../../src/index.ts";
import { type HintEvents, type HintLink, Store, type Topic } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { bareBackend } from "./support/bare-backend.ts";

/** A connection that the test breaks, and what was asked of it. */
class Wire implements HintLink {
  readonly heard: string[] = [];
  closed = false;
  alive = true;
  readonly events: HintEvents;

  constructor(events: HintEvents) {
    this.events = events;
  }

  listen(topics: readonly Topic[]): void | Promise<void> {
    this.heard.push(...topics.map(({ kind, name }) => `${kind} ${name}`));
  }

  unlisten({ name }: Topic): void {
    this.heard.push(`not ${name}`);
  }

  async check(): Promise<void> {
    if (!this.alive) throw new Error("silent");
  }

  close(): void {
    this.closed = true;
  }
}

let runtime: VirtualRuntime;
let wires: Wire[];
let refuse: boolean;
let store: Store;
let hints: string[];
const hint = (name: string) => () => void hints.push(name);

beforeEach(() => {
  runtime = new VirtualRuntime();
  wires = [];
  hints = [];
  refuse = false;
  const listen = async (events: HintEvents): Promise<HintLink> => {
    if (refuse) throw new Error("no server");
    const wire = new Wire(events);
    wires.push(wire);
    return wire;
  };
  const reserve = (): Promise<never> => new Promise(() => undefined);
  store = new Store(bareBackend(runtime, { listen, reserve }));
});

const wire = (i: number): Wire => wires[i] as Wire;

describe("hints", () => {
  it("come on one connection, to those who listen to the topic", async () => {
    await store.onHint("a", hint("a"));
    await store.onHint("b", hint("b"));
    await store.onPermitHint("a", hint("key a"));
    expect(wires).toHaveLength(1);
    expect(wire(0).heard).toEqual(["group a", "group b", "permits a"]);
    wire(0).events.onHint({ kind: "group", name: "a" });
    wire(0).events.onHint({ kind: "permits", name: "a" });
    wire(0).events.onHint({ kind: "group", name: "a", member: "m" });
    await runtime.advance(0);
    expect(hints).toEqual(["a", "key a"]);
  });

  it("end with the function that was answered, and the connection with the last of them", async () => {
    const stop = await store.onHint("a", hint("a"));
    const stopOther = await store.onHint("b", hint("b"));
    wire(0).events.onHint({ kind: "group", name: "a" });
    stop();
    stop();
    await runtime.advance(0);
    expect(hints).toEqual([]);
    expect(wire(0).heard.at(-1)).toBe("not a");
    stopOther();
    expect(wire(0).closed).toBe(true);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("of one callback that listens twice come twice, and it ends once for each", async () => {
    const callback = hint("a");
    const stop = await store.onHint("a", callback);
    await store.onHint("a", callback);
    wire(0).events.onHint({ kind: "group", name: "a" });
    await runtime.advance(0);
    stop();
    wire(0).events.onHint({ kind: "group", name: "a" });
    await runtime.advance(0);
    expect(hints).toEqual(["a", "a", "a"]);
  });
});

describe("callers who begin at once to listen to one topic", () => {
  it("listen to it as one, so that it ends with the last of them", async () => {
    await store.onHint("a", hint("a"));
    // As a connection that tells topics apart by the object.
    const topics = new Set<Topic>();
    wire(0).listen = ([topic]) => void topics.add(topic as Topic);
    wire(0).unlisten = (topic) => void topics.delete(topic);
    const stops = await Promise.all([store.onHint("b", hint("b")), store.onHint("b", hint("b"))]);
    expect(topics.size).toBe(1);
    for (const stop of stops) stop();
    await runtime.advance(0);
    expect(topics.size).toBe(0);
  });
});

describe("a connection that is lost", () => {
  it("is opened again, listens to everything, and everyone is told", async () => {
    await store.onHint("a", hint("a"));
    await store.onHint("b", hint("b"));
    wire(0).events.onLost();
    wire(0).events.onLost();
    expect(wire(0).closed).toBe(true);
    await runtime.advance(50);
    expect(wires).toHaveLength(2);
    expect(wire(1).heard).toEqual(["group a", "group b"]);
    expect(hints).toEqual(["a", "b"]);
  });

  it("is tried for as long as it takes, twice a second at least", async () => {
    await store.onHint("a", hint("a"));
    refuse = true;
    wire(0).events.onLost();
    await runtime.advance(60_000);
    refuse = false;
    await runtime.advance(500);
    expect(wires).toHaveLength(2);
    expect(hints).toEqual(["a"]);
  });

  it("is found when nothing is said any more", async () => {
    await store.onHint("a", hint("a"));
    await runtime.advance(30_000);
    expect(wires).toHaveLength(1);
    wire(0).alive = false;
    await runtime.advance(10_050);
    expect(wires).toHaveLength(2);
  });

  it("is not opened again after the store was closed", async () => {
    await store.onHint("a", hint("a"));
    wire(0).events.onLost();
    await store.close();
    await runtime.advance(10_000);
    expect(wires).toHaveLength(1);
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("listening that fails", () => {
  it("because it was given up leaves its topic to be listened to by the next", async () => {
    await store.onHint("a", hint("a"));
    let answer = (): void => undefined;
    wire(0).listen = (topics) => {
      wire(0).heard.push(...topics.map(({ name }) => `slowly ${name}`));
      return new Promise<void>((resolve) => {
        answer = resolve;
      });
    };
    const caller = new AbortController();
    const listening = store.onHint("b", hint("b"), caller.signal);
    await runtime.advance(0);
    caller.abort();
    await expect(listening).rejects.toMatchObject({ code: "DT_ABORTED" });
    answer();
    await runtime.advance(0);
    void store.onHint("b", hint("b"));
    await runtime.advance(0);
    expect(wire(0).heard).toEqual(["group a", "slowly b", "not b", "slowly b"]);
  });

  it("because the connection was lost meanwhile is not said to be given up by its caller", async () => {
    const listen = vi.spyOn(Wire.prototype, "listen").mockReturnValue(new Promise(() => undefined));
    onTestFinished(() => listen.mockRestore());
    const listening = store.onHint("a", hint("a"), new AbortController().signal);
    const refusal = expect(listening).rejects.toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      message: "bare onHint failed: the connection on which hints come was lost",
    });
    await runtime.advance(0);
    wire(0).events.onLost();
    await refusal;
  });

  it("because the store was closed says so, also where a call is answered at once", async () => {
    const memory = new MemoryStore();
    const listening = memory.onHint("a", hint("a"));
    await memory.close();
    await expect(listening).rejects.toMatchObject({
      code: "DT_STORE_CLOSED",
      message: "memory onHint failed: the store is closed; create a new one",
    });
  });

  it("says why, and leaves nothing behind", async () => {
    refuse = true;
    await expect(store.onHint("a", hint("a"))).rejects.toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      message: "bare onHint failed: no server",
    });
    refuse = false;
    await runtime.advance(10_000);
    expect(wires).toEqual([]);
    await store.onHint("b", hint("b"));
    expect(wire(0).heard).not.toContain("group a");
  });
});

import { describe, expect, it } from "vitest";
import { DtError } from "../../src/index.ts";
import { type Backend, type Call, Store } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { bareBackend } from "./support/bare-backend.ts";

const runtime = new VirtualRuntime();

/** A store of which `inspect` does this, and what became of one call. */
function inspecting(inspect: (call: Call) => Promise<never>, parts: Partial<Backend> = {}): Store {
  return new Store(bareBackend(runtime, { inspect: (_group, call) => inspect(call), ...parts }));
}

const silence = (sent: boolean) => (call: Call) => {
  call.sent = sent;
  return new Promise<never>(() => undefined);
};

const failing = (error: unknown, sent: boolean) => async (call: Call) => {
  call.sent = sent;
  throw error;
};

describe("a call that ends without an answer", () => {
  it.each([
    ["unknown", true, "bare inspect was not answered within 1000 ms; if the store is only slow, raise its timeout"],
    ["definite", false, "bare inspect failed: it could not be sent within the deadline"],
  ])("has the effect %s by its deadline when sent is %s", async (effect, sent, message) => {
    const refusal = expect(inspecting(silence(sent)).inspect("g")).rejects.toMatchObject({
      code: "DT_STORE_TIMEOUT",
      effect,
      message,
    });
    await runtime.advance(1_000);
    await refusal;
  });

  it.each([
    ["unknown", true],
    ["definite", false],
  ])("has the effect %s when it is given up and sent is %s", async (effect, sent) => {
    const caller = new AbortController();
    const call = inspecting(silence(sent)).inspect("g", caller.signal);
    caller.abort();
    await expect(call).rejects.toMatchObject({ code: "DT_ABORTED", effect });
  });

  it.each([
    ["unknown", true],
    ["definite", false],
  ])("has the effect %s when the store is closed and sent is %s, and is told to stop", async (effect, sent) => {
    let over: AbortSignal | undefined;
    const store = inspecting((call) => {
      over = call.signal;
      return silence(sent)(call);
    });
    const call = store.inspect("g");
    await store.close();
    await expect(call).rejects.toMatchObject({ code: "DT_STORE_CLOSED", effect });
    expect(over?.aborted).toBe(true);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("has the backend's own error when it was not sent, where that knows more", async () => {
    const notSent = () => new DtError("DT_STORE_UNAVAILABLE", "refused: no server at this address");
    const refusal = expect(inspecting(silence(false), { notSent }).inspect("g")).rejects.toThrow(/no server/);
    await runtime.advance(1_000);
    await refusal;
  });
});

describe("an error of the driver", () => {
  it.each([
    ["unknown", true],
    ["definite", false],
  ])("is a store that is not available, with the effect %s when sent is %s", async (effect, sent) => {
    const error = Object.assign(new Error("socket hang up"), { password: "secret" });
    const failure = await inspecting(failing(error, sent))
      .inspect("g")
      .catch((problem: unknown) => problem);
    expect(failure).toMatchObject({
      code: "DT_STORE_UNAVAILABLE",
      effect,
      message: "bare inspect failed: socket hang up",
    });
    expect((failure as DtError).cause).not.toHaveProperty("password");
  });

  it("is what the adapter says, where it says anything", async () => {
    const toDtError = (error: unknown, { what }: Call) => new DtError("DT_STORE_REPLY", `${what}: ${error}`);
    await expect(inspecting(failing("odd", true), { toDtError }).inspect("g")).rejects.toMatchObject({
      code: "DT_STORE_REPLY",
      message: "bare inspect: odd",
    });
  });

  it("keeps its code when it is one of ours, and is definite when nothing was sent", async () => {
    const ours = new DtError("DT_STORE_REPLY", "odd", { effect: "unknown" });
    await expect(inspecting(failing(ours, true)).inspect("g")).rejects.toBe(ours);
    await expect(inspecting(failing(ours, false)).inspect("g")).rejects.toMatchObject({
      code: "DT_STORE_REPLY",
      effect: "definite",
    });
  });
});

describe("a closed store", () => {
  it("refuses every call, and closes its backend once", async () => {
    let closes = 0;
    const close = () => {
      closes += 1;
    };
    const store = new Store(bareBackend(runtime, { close }));
    await store.close();
    await store.close();
    expect(closes).toBe(1);
    await expect(store.inspect("g")).rejects.toMatchObject({ code: "DT_STORE_CLOSED", effect: "definite" });
  });
});

describe("a method that the backend lacks", () => {
  it("is undefined on the store, and the others are there", () => {
    const { setUp, repair, list, onHint, reserve, onPermitHint, sync } = new Store(bareBackend(runtime));
    expect({ setUp, repair, list, onHint, reserve, onPermitHint }).toEqual({});
    expect(sync).toBeTypeOf("function");
    const able = new Store(bareBackend(runtime, { list: () => ({ names: [] }), listen: () => new Promise(() => {}) }));
    expect(able.list).toBeTypeOf("function");
    expect(able.onHint).toBeTypeOf("function");
    expect(able.onPermitHint).toBeUndefined();
  });
});

describe("a page", () => {
  it("has a cursor of the place where the next one begins, that no other list takes", async () => {
    const places: string[] = [];
    const page = (place: string) => {
      places.push(place);
      return { names: ["a"], ...(place === "" && { next: "a b" }) };
    };
    const store = new Store(bareBackend(runtime, { list: page, listPermits: page }));
    const { groups, next = "" } = await store.list();
    expect(groups).toEqual(["a"]);
    expect(await store.list(next)).toEqual({ groups: ["a"] });
    expect(places).toEqual(["", "a b"]);
    await expect(store.listPermits(next)).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  });
});

import { describe, expect, it } from "vitest";
import { DtError, isDtError, systemRuntime } from "../../src/index.ts";
import { withDeadline } from "../../src/ledger/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const never = (): Promise<never> => new Promise(() => undefined);

describe("withDeadline", () => {
  it("settles by the deadline, whatever the operation does, and tells it to stop", async () => {
    const runtime = new VirtualRuntime();
    let inner: AbortSignal | undefined;
    const call = withDeadline(
      (signal) => {
        inner = signal;
        return never();
      },
      { runtime, timeoutMs: 1_000, what: "redis sync" },
    );
    const refusal = expect(call).rejects.toMatchObject({
      code: "DT_STORE_TIMEOUT",
      effect: "unknown",
      message: "redis sync was not answered within 1000 ms; if the store is only slow, raise its timeout",
    });
    await runtime.advance(1_000);
    await refusal;
    expect(inner?.aborted).toBe(true);
  });

  it("gives up at once when its signal aborts, before or during", async () => {
    const runtime = new VirtualRuntime();
    const controller = new AbortController();
    const options = { runtime, timeoutMs: 1_000, what: "sync", signal: controller.signal };
    const call = withDeadline(never, options);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "DT_ABORTED", effect: "unknown" });
    await expect(withDeadline(never, options)).rejects.toMatchObject({ code: "DT_ABORTED", effect: "definite" });
    expect(runtime.pendingTimers).toBe(0);
  });

  it("passes results and errors on, thrown or rejected, and leaves no timer", async () => {
    const runtime = new VirtualRuntime();
    const options = { runtime, timeoutMs: 1_000, what: "sync" };
    expect(await withDeadline(async () => 7, options)).toBe(7);
    await expect(withDeadline(async () => Promise.reject(new Error("a")), options)).rejects.toThrowError("a");
    const throwing = (): Promise<never> => {
      throw new Error("b");
    };
    await expect(withDeadline(throwing, options)).rejects.toThrowError("b");
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("the system runtime", () => {
  it("never fires early and honours delays longer than a timer can hold", async () => {
    const begun = systemRuntime.now();
    await new Promise<void>((resolve) => systemRuntime.setTimer(resolve, 12.7));
    expect(systemRuntime.now() - begun).toBeGreaterThanOrEqual(12.7);
    let fired = false;
    const timer = systemRuntime.setTimer(() => {
      fired = true;
    }, 2 ** 40);
    await new Promise<void>((resolve) => systemRuntime.setTimer(resolve, 5));
    timer.cancel();
    expect(fired).toBe(false);
  });
});

describe("DtError", () => {
  it("is recognised by its brand, also from another copy of the package", () => {
    const foreign = Object.assign(new Error("x"), { code: "DT_STOPPED", [Symbol.for("@dt/error")]: true });
    expect(isDtError(foreign)).toBe(true);
    expect(isDtError(foreign, "DT_STOPPED")).toBe(true);
    expect(isDtError(foreign, "DT_QUEUE_FULL")).toBe(false);
    expect(isDtError(new Error("x"))).toBe(false);
    expect(isDtError(null)).toBe(false);
    expect(new DtError("DT_STOPPED", "m", { cause: 1 })).toMatchObject({
      effect: "definite",
      cause: 1,
      name: "DtError",
    });
  });
});

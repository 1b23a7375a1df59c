import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { Unstopped } from "../../src/throttle/unstopped.ts";

/** A process whose end is played, and what it said. */
function played() {
  const warnings: unknown[] = [];
  const written: string[] = [];
  const emitter = new EventEmitter();
  const runtime = new VirtualRuntime();
  const kept = ["PipeWrap", "TCPSocketWrap"];
  const process = {
    getActiveResourcesInfo: () => kept,
    on: emitter.on.bind(emitter),
    emitWarning: (warning: string, options: object) => warnings.push([warning, options]),
    getBuiltinModule: () => ({ writeSync: (_: number, line: string) => written.push(line) }),
  };
  const unstopped = new Unstopped(process, (callback, ms) => runtime.setTimer(callback, ms));
  return { unstopped, runtime, kept, emitter, warnings, written };
}

function running(group: string, left: string[], staleAfterMs = 10_000, open = true) {
  return { name: group, staleAfterMs, leave: async () => left.push(group), isOpen: async () => open };
}

describe("a process whose limiters were never stopped", () => {
  it("leaves their groups and is warned when it has nothing left to do", () => {
    const { unstopped, emitter, warnings } = played();
    const left: string[] = [];
    for (const group of ["a", "b", "c", "d", "d"]) unstopped.add(running(group, left));
    emitter.emit("beforeExit", 0);
    expect(left).toEqual(["a", "b", "c", "d", "d"]);
    expect(warnings).toEqual([
      [
        expect.stringMatching(
          /never stopped: "a", "b", "c" and 1 more\. .*leave their groups now, if their store is open\. Await stop\(\) or drain\(\) of each/,
        ),
        { type: "DtWarning", code: "DT_NOT_STOPPED" },
      ],
    ]);
  });

  it("is told of the wait that it causes when it exits at once", () => {
    const { unstopped, emitter, written } = played();
    const left: string[] = [];
    unstopped.add(running("a", left));
    unstopped.add(running("b", left, 25_000));
    emitter.emit("exit", 0);
    expect(left).toEqual([]);
    expect(written).toEqual([
      expect.stringMatching(/^\(DT_NOT_STOPPED\) .*"a", "b"\. Other processes wait .* 25 s\. Await .*\n$/),
    ]);
  });

  it("is told nothing when it fails, and nothing when all were stopped", () => {
    const { unstopped, emitter, warnings, written } = played();
    const one = running("a", []);
    unstopped.add(one);
    emitter.emit("exit", 1);
    unstopped.delete(one);
    emitter.emit("beforeExit", 0);
    emitter.emit("exit", 0);
    expect([warnings, written]).toEqual([[], []]);
  });
});

describe("a process that stopped its throttles and did not close their store", () => {
  it("is told once only connections keep it running", async () => {
    const { unstopped, runtime, warnings } = played();
    const [one, two] = [running("a", []), running("b", [])];
    unstopped.add(one);
    unstopped.add(two);
    unstopped.delete(one);
    await runtime.advance(60_000);
    expect(warnings).toEqual([]);
    unstopped.delete(two);
    await runtime.advance(5_000);
    expect(warnings).toEqual([
      [expect.stringContaining("Await the store's close()"), { type: "DtWarning", code: "DT_NOT_CLOSED" }],
    ]);
  });

  it.each([
    ["serves", ["TCPServerWrap"]],
    ["has a timer", ["Timeout"]],
    ["has a child", ["ProcessWrap"]],
  ])("is told nothing while it %s", async (_, more) => {
    const { unstopped, runtime, kept, warnings } = played();
    kept.push(...more);
    const one = running("a", []);
    unstopped.add(one);
    unstopped.delete(one);
    await runtime.advance(60_000);
    expect(warnings).toEqual([]);
  });

  it("is told nothing when the store is closed, nothing is connected, or another throttle was started", async () => {
    const closed = played();
    const one = running("a", [], 10_000, false);
    closed.unstopped.add(one);
    closed.unstopped.delete(one);
    const alone = played();
    alone.kept.length = 0;
    const two = running("a", []);
    alone.unstopped.add(two);
    alone.unstopped.delete(two);
    const again = played();
    again.unstopped.add(two);
    again.unstopped.delete(two);
    again.unstopped.add(one);
    for (const { runtime, warnings } of [closed, alone, again]) {
      await runtime.advance(60_000);
      expect(warnings).toEqual([]);
    }
  });
});

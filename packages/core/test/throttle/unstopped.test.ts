import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { Unstopped } from "../../src/throttle/unstopped.ts";

/** A process whose end is played, and what it said. */
function played() {
  const warnings: unknown[] = [];
  const written: string[] = [];
  const emitter = new EventEmitter();
  const process = {
    on: emitter.on.bind(emitter),
    emitWarning: (warning: string, options: object) => warnings.push([warning, options]),
    getBuiltinModule: () => ({ writeSync: (_: number, line: string) => written.push(line) }),
  };
  return { unstopped: new Unstopped(process), emitter, warnings, written };
}

function running(group: string, left: string[], staleAfterMs = 10_000) {
  return { group, staleAfterMs, leave: async () => left.push(group) };
}

describe("a process whose throttles were never stopped", () => {
  it("leaves their groups and is warned when it has nothing left to do", () => {
    const { unstopped, emitter, warnings } = played();
    const left: string[] = [];
    for (const group of ["a", "b", "c", "d", "d"]) unstopped.add(running(group, left));
    emitter.emit("beforeExit", 0);
    expect(left).toEqual(["a", "b", "c", "d", "d"]);
    expect(warnings).toEqual([
      [
        expect.stringMatching(/never stopped: "a", "b", "c" and 1 more\. .*leave their groups now\. Await throttle/),
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

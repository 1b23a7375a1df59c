import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { type ProcessLike, processTableOf } from "../../src/runtime/process-table.ts";
import type { ProcessTable } from "../../src/runtime/runtime.ts";
import { systemRuntime } from "../../src/runtime/system-runtime.ts";

const onLinux = process.platform === "linux";
const table = processTableOf(process as ProcessLike) as ProcessTable;

/** A process that runs until it is killed, and its name. */
async function running(): Promise<{ readonly child: ChildProcess; readonly name: string }> {
  const child = spawn(process.execPath, ["-e", "console.log('up'); setInterval(() => {}, 1e6)"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  // Its name is what the same code says in there: that of this process with another pid and start.
  const [machine] = table.self.split(".");
  const { readFileSync } = await import("node:fs");
  const started = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19];
  return { child, name: `${machine}.${child.pid}.${started}` };
}

describe.runIf(onLinux)("the processes of this machine", () => {
  it("a process knows its own name, which is the same each time, and that it is not over", () => {
    expect(systemRuntime.processes?.self).toBe(table.self);
    expect(table.self).toMatch(new RegExp(`^[\\w-]{12}\\.${process.pid}\\.\\d+$`));
    expect(table.isOver(table.self)).toBe(false);
  });

  it("a process is over once it was killed and its parent has taken that in, and not before", async () => {
    const { child, name } = await running();
    expect(table.isOver(name)).toBe(false);
    child.kill("SIGSTOP");
    expect(table.isOver(name), "one that is stopped may go on").toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(table.isOver(name)).toBe(true);
  });

  it("a pid that came again is another process's", () => {
    const [machine, pid, started] = table.self.split(".");
    expect(table.isOver(`${machine}.${pid}.${Number(started) - 1}`)).toBe(true);
  });

  it.each([
    ["", "nothing"],
    ["another-one.1.1", "another machine's"],
    ["4194304.1", "no machine"],
    [`${table?.self}.1`, "more than a name"],
    [`${table?.self.split(".")[0]}.x.1`, "no pid"],
    [`${table?.self.split(".")[0]}.0.1`, "the pid 0, which stands for a group of processes"],
    [`${table?.self.split(".")[0]}.-1.1`, "the pid -1, which stands for all processes"],
    [`${table?.self.split(".")[0]}.1`, "no start"],
  ])("%j is never over: %s", (name) => {
    expect(table.isOver(name)).toBe(false);
  });

  it("what may not be looked at is not over", () => {
    const kill = (): never => {
      throw Object.assign(new Error("not permitted"), { code: "EPERM" });
    };
    const { platform, pid } = process;
    const getBuiltinModule = (name: string): unknown => process.getBuiltinModule(name);
    const careful = processTableOf({ platform, pid, kill, getBuiltinModule }) as ProcessTable;
    expect(careful.isOver(`${careful.self.split(".")[0]}.4194304.1`)).toBe(false);
  });
});

describe("where processes cannot be told apart", () => {
  it.each<[string, ProcessLike | undefined]>([
    ["in a browser", undefined],
    ["on another system", { platform: "darwin", pid: 1 }],
    ["without Node's modules", { platform: "linux", pid: process.pid }],
    [
      "with a /proc of another namespace",
      { platform: "linux", pid: process.pid + 1, getBuiltinModule: (name) => process.getBuiltinModule(name) },
    ],
  ])("%s there is no table", (_, surroundings) => {
    expect(processTableOf(surroundings)).toBeUndefined();
  });
});

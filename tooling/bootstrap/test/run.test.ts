import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Checkout, createCheckout } from "./checkout.ts";

const checkouts: Checkout[] = [];

function checkout(testScript: string): Checkout {
  const created = createCheckout(testScript);
  checkouts.push(created);
  return created;
}

/** Whether the process can still do anything: a zombie cannot. */
function runs(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

afterEach(() => {
  for (const created of checkouts.splice(0)) created.remove();
});

describe("a command", () => {
  it("gets the arguments and stdin, and is alone on stdout", async () => {
    const { child, ended, output } = checkout(`
      process.stdout.write(JSON.stringify(process.argv.slice(2)) + process.version.split(".")[0] + " ");
      process.stdin.pipe(process.stdout);
    `).start(["test", "--json", "a b"]);
    child.stdin?.end("from stdin");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(output.stdout).toBe('["--json","a b"]v24 from stdin');
  });

  it("does not see what npm sets for its own scripts, but sees what a user sets", async () => {
    const { ended, output } = checkout(`
      const names = ["npm_package_name", "npm_config_loglevel", "npm_config_registry"];
      process.stdout.write(names.filter((name) => name in process.env).join());
    `).start(["test"]);
    await ended;
    expect(output.stdout).toBe("npm_config_registry");
  });

  it("decides the exit code", async () => {
    const { ended } = checkout("process.exitCode = 7").start(["test"]);
    expect(await ended).toEqual({ code: 7, signal: null });
  });

  it("that dies of a signal passes that on", async () => {
    const { ended } = checkout('process.kill(process.pid, "SIGKILL")').start(["test"]);
    expect(await ended).toEqual({ code: null, signal: "SIGKILL" });
  });
});

describe("Ctrl-C", () => {
  it("arrives once, although the terminal and npm both send it", async () => {
    const { child, ended, output, printed } = checkout(`
      const alive = setInterval(() => {}, 1000);
      let received = 0;
      process.on("SIGINT", () => {
        received += 1;
        process.stdout.write("stopping ");
        setTimeout(() => {
          clearInterval(alive);
          process.stdout.write("received " + received);
        }, 1_000);
      });
      process.stdout.write("ready ");
    `).start(["test"]);
    await printed("ready");
    child.kill("SIGINT");
    // Not at once: two equal signals that are pending together are one to the kernel. And not by a timer, which a busy
    // machine lets wait for seconds.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    child.kill("SIGINT");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(output.stdout).toBe("ready stopping received 1");
  });

  it("ends what the command leaves behind, even what ignores SIGTERM", async () => {
    const { child, ended, output, printed } = checkout(`
      import { spawn } from "node:child_process";
      const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); process.stdout.write("ready")';
      const left = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
      left.stdout.once("data", () => process.stdout.write("left:" + left.pid + ";"));
    `).start(["test"]);
    await printed(";");
    child.kill("SIGINT");
    await ended;
    const pid = Number(/left:(\d+);/.exec(output.stdout)?.[1]);
    expect(pid).toBeGreaterThan(0);
    // Killed is killed; when its new parent collects it is not ours to say.
    await vi.waitFor(() => expect(runs(pid)).toBe(false), { timeout: 60_000 });
  });
});

describe("a command that cannot start", () => {
  it("is named on stderr when it is unknown", async () => {
    const { ended, output } = checkout("").start(["tset"]);
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(output).toEqual({
      stdout: "",
      stderr: expect.stringMatching(/Unknown command "tset"; there are: test, ci, proof/),
    });
  });

  it.each([
    ["test", "check/main.ts"],
    ["ci", "check/ci.ts"],
    ["proof", "proof/main.ts"],
  ])("still ends `%s` with the line of totals", async (name, file) => {
    const created = checkout("");
    rmSync(join(created.path, "tooling/checks"), { recursive: true });
    const { ended, output } = created.start([name]);
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(output.stdout).toBe("0 passed, 1 failed, 0 skipped\n");
    expect(output.stderr).toContain(`tooling/checks/src/${file} does not exist`);
  });
});

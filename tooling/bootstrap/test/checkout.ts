import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodeBinary } from "@dt-tooling/bootstrap/node-binary";

const bootstrap = join(import.meta.dirname, "..");

/**
 * A folder that looks like this repository, installed, to the real bootstrap; `npm test` runs the given script there.
 */
export interface Checkout {
  readonly path: string;
  /** Starts `run.mjs` under the oldest supported Node. */
  start(args: readonly string[]): Run;
  remove(): void;
}

export interface Run {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves once stdout contains the text. */
  printed(text: string): Promise<void>;
}

export function createCheckout(testScript: string): Checkout {
  const path = mkdtempSync(join(tmpdir(), "dt-bootstrap-"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  };
  for (const file of ["run", "child", "commands", "environment", "install", "pinned-node", "pnpm", "problem"]) {
    cpSync(join(bootstrap, `${file}.mjs`), join(path, `tooling/bootstrap/${file}.mjs`));
  }
  write("package.json", JSON.stringify({ packageManager: "pnpm@10.34.9" }));
  write("pnpm-lock.yaml", "lock");
  write("pnpm-workspace.yaml", "workspace");
  write("node_modules/.bootstrap-lockfile", createHash("sha256").update("lock").update("workspace").digest("hex"));
  write(".cache/pnpm-10.34.9/node_modules/.bin/pnpm", "");
  write("tooling/checks/src/check/main.ts", testScript);
  const node24 = nodeBinary(24);
  const platform = `node24-${process.platform}-${process.arch}`;
  symlinkSync(dirname(dirname(node24)), join(path, "node_modules", platform));
  return {
    path,
    start: (args) => start(nodeBinary(20), [join(path, "tooling/bootstrap/run.mjs"), ...args], path),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function start(node: string, args: readonly string[], cwd: string): Run {
  // As npm calls it: with the values of npm's own settings in the environment.
  const env = { ...process.env, npm_package_name: "x", npm_config_loglevel: "silent", npm_config_registry: "kept" };
  const child = spawn(node, args, { cwd, env, stdio: "pipe" });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => {
    output.stdout += data.toString();
  });
  child.stderr.on("data", (data: Buffer) => {
    output.stderr += data.toString();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (output.stdout.includes(text)) resolve();
      };
      child.stdout.on("data", look);
      child.once("close", () =>
        reject(new Error(`ended without printing "${text}": ${output.stdout}${output.stderr}`)),
      );
      look();
    });
  return { child, output, ended, printed };
}

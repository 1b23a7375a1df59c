/**
 * Runs a command of this repository on a machine that has only Node and npm: `node tooling/bootstrap/run.mjs test`.
 * Fetches pnpm, installs, builds what the command needs, then runs it under the pinned Node with this process's stdin,
 * stdout, arguments, signals and exit code.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { run, runStep } from "./child.mjs";
import { commands } from "./commands.mjs";
import { childEnvironment } from "./environment.mjs";
import { installDependencies } from "./install.mjs";
import { atLeast, pinnedNode } from "./pinned-node.mjs";
import { pnpmFolder } from "./pnpm.mjs";
import { Problem, Stopped, say } from "./problem.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const [name, ...args] = process.argv.slice(2);

try {
  const { code, signal } = await main();
  // A command that died of a signal makes this process die of it too, so that shells and npm see the cause.
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = code;
} catch (error) {
  if (error instanceof Stopped) process.kill(process.pid, error.signal);
  else say(error instanceof Problem ? error.message : error.stack);
  // Their last line is the same promise when they never got as far as a test.
  if (name === "test" || name === "ci" || name === "proof") process.stdout.write("0 passed, 1 failed, 0 skipped\n");
  process.exitCode = 1;
}

async function main() {
  const command = Object.hasOwn(commands, name ?? "") ? commands[name] : undefined;
  if (command === undefined) {
    throw new Problem(`Unknown command "${name ?? ""}"; there are: ${Object.keys(commands).join(", ")}.`);
  }
  if (!atLeast(20, 19)) throw new Problem(`Node >= 20.19 is needed; this is ${process.version} (${process.execPath}).`);

  const pnpm = await pnpmFolder(root);
  const tools = pnpm === undefined ? [] : [pnpm];
  await installDependencies(root, childEnvironment(tools));
  const node = pinnedNode(root);
  const env = childEnvironment([dirname(node), ...tools, join(root, "node_modules", ".bin")]);
  if (command.build !== undefined) await build(command.build, env);
  const file = join(root, command.file);
  if (!existsSync(file)) throw new Problem(`"${name}" is not in this checkout: ${command.file} does not exist.`);
  const loading = command.sources ? ["--import", new URL("./src/from-sources.ts", import.meta.url).href] : [];
  return run(node, [...loading, file, ...command.args, ...args], { cwd: root, env, stdio: "inherit" });
}

async function build(filter, env) {
  const args = ["run", "build", `--filter=${filter}...`, "--output-logs=errors-only"];
  await runStep(`building ${filter}`, "turbo", args, { cwd: root, env: { ...env, TURBO_UI: "false" } });
}

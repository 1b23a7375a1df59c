import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStep } from "./child.mjs";
import { say } from "./problem.mjs";

/**
 * Installs exactly what the lockfile says, unless that is what is installed: a stamp in node_modules holds the hash of the
 * lockfile that was installed last.
 *
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
export async function installDependencies(root, env) {
  const stamp = join(root, "node_modules", ".bootstrap-lockfile");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .update(readFileSync(join(root, "pnpm-workspace.yaml")))
    .digest("hex");
  if (readIfThere(stamp) === wanted) return;
  say("installing dependencies");
  const args = ["install", "--frozen-lockfile", "--reporter=append-only"];
  await runStep("pnpm install", "pnpm", args, { cwd: root, env });
  writeFileSync(stamp, wanted);
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "./problem.mjs";

/**
 * The Node that development runs on: version 24 from npm, or the running one where npm has no binary for the platform.
 *
 * @param {string} root
 */
export function pinnedNode(root) {
  const node = join(root, "node_modules", `node24-${process.platform}-${process.arch}`, "bin", "node");
  if (existsSync(node)) return node;
  if (atLeast(24, 11)) return process.execPath;
  throw new Problem(
    `npm has no Node 24 for ${process.platform}-${process.arch}; run this with an installed Node >= 24.11 (now ${process.version}).`,
  );
}

/** Whether the running Node is at least this version. */
export function atLeast(major, minor) {
  const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

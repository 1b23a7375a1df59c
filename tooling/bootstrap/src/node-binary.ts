import { existsSync } from "node:fs";
import { join } from "node:path";

/** The supported majors. 20 and 22 are the oldest supported minors (20.19, 22.13), 24 is what development runs on. */
export const nodeMajors = [20, 22, 24] as const;

export type NodeMajor = (typeof nodeMajors)[number];

/**
 * The path of a Node binary, installed from npm as an optional dependency of this package.
 *
 * @throws Error when npm has no such binary for this platform, or it was not installed.
 */
export function nodeBinary(major: NodeMajor): string {
  const name = `node${major}-${process.platform}-${process.arch}`;
  const path = join(import.meta.dirname, "../node_modules", name, "bin/node");
  if (!existsSync(path)) {
    throw new Error(
      `There is no Node ${major} for ${process.platform}-${process.arch} in tooling/bootstrap: ` +
        "run the install again without --no-optional, or add the platform to its package.json.",
    );
  }
  return path;
}

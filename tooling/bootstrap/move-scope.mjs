/**
 * Moves every package to another npm scope: `node tooling/bootstrap/move-scope.mjs @example`, in the root of a checkout.
 * Rewrites the scope in every tracked text file: names and imports of packages, the constant of core, pages, tests.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const CONSTANT = "packages/core/src/errors/scope.ts";

const [to = ""] = process.argv.slice(2);
const [, from] = /SCOPE = "(@[^"]+)"/.exec(readFileSync(CONSTANT, "utf8")) ?? [];
if (from === undefined) fail(`${CONSTANT} has no SCOPE`);
else if (!/^@[a-z\d][a-z\d._-]*$/.test(to)) fail(`"${to}" is no npm scope; give one such as @example`);
else move(from, to);

/**
 * @param {string} from
 * @param {string} to
 */
function move(from, to) {
  // Not @dt-tooling, and no part of an address such as ann@dt.example.
  const scope = new RegExp(`(?<![\\w.])${from}(?![\\w-])`, "g");
  const files = execFileSync("git", ["ls-files", "-z"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).split("\0");
  const changed = files.filter((file) => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const moved = text.replaceAll(scope, to);
    if (moved === text || text.includes("\0")) return false;
    writeFileSync(file, moved);
    return true;
  });
  process.stdout.write(
    `${from} is ${to} in ${changed.length} files; run "pnpm install", "pnpm format" and "npm test"\n`,
  );
}

/** @param {string} problem */
function fail(problem) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}

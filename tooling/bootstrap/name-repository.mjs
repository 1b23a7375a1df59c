/**
 * Before a release: writes into each package that is published where its sources are (`repository`), from the remote `origin` of the checkout it is run in.
 * npm compares it with the repository that the release is built in (provenance), so it is taken from there and not kept by hand.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const url = originUrl();
if (url === undefined) {
  process.stderr.write(
    "no address for `repository`: this checkout has no remote `origin` on a host; release from a clone of the public repository\n",
  );
  process.exitCode = 1;
} else {
  for (const file of globSync("{packages,apps}/*/package.json").sort()) {
    const { name, private: isPrivate, ...rest } = JSON.parse(readFileSync(file, "utf8"));
    if (isPrivate) continue;
    const repository = { type: "git", url, directory: dirname(file).replaceAll("\\", "/") };
    writeFileSync(file, `${JSON.stringify({ name, ...rest, repository }, null, 2)}\n`);
    process.stdout.write(`${name}: ${url}, ${repository.directory}\n`);
  }
}

/** The address of `origin` as npm writes it; undefined without one, or when it is a folder. */
function originUrl() {
  let origin = "";
  try {
    origin = execFileSync("git", ["remote", "get-url", "origin"], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  }
  // A login in the address stays out of what is published.
  const [, host, path] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?\/?$/.exec(origin) ??
    /^(?:[^@/]+@)([^:/]+):(.+?)(?:\.git)?\/?$/.exec(origin) ??
    [];
  return host === undefined ? undefined : `git+https://${host}/${path}.git`;
}

import { createHash } from "node:crypto";

/** A Lua script as the server knows it. */
export interface Script {
  readonly text: string;
  /** SHA-1 of the text, the name under which the server caches it. */
  readonly sha: string;
}

/** One script from several files: the shared parts first, in the order in which they use each other. */
export function compose(...parts: readonly string[]): Script {
  const text = parts.join("\n");
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/**
 * Parts whose functions are made only when they are needed, by the first call of a function of this name: a script
 * makes, in every run, all that are not inside another.
 */
export function onDemand(name: string, ...parts: readonly string[]): string {
  const make = [`local made_${name}`, `local function ${name}()`, `if made_${name} then return made_${name} end`];
  return [...make, `made_${name} = (function()`, ...parts, "end)()", `return made_${name}`, "end"].join("\n");
}

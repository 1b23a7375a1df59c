/** Not imported: a bundle for browsers, which have no such module, would not load. */
const os = typeof process === "undefined" ? undefined : process.getBuiltinModule?.("node:os");

/** The host's name, at most 64 characters of it; `process` where there is none. */
export function hostName(): string {
  return os?.hostname().slice(0, 64) || "process";
}

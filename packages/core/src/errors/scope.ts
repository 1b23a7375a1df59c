/**
 * The npm scope of every package. Only an import, a package.json and this line write it: `tooling/bootstrap` has the
 * command that moves all of them to another scope.
 */
export const SCOPE = "@dt";

/** The first part of the name of every channel of `node:diagnostics_channel`. */
export const CHANNEL_PREFIX = "dt";

/** A package by its full name: `packageName("core")` is the name of this one. */
export function packageName(name: string): string {
  return `${SCOPE}/${name}`;
}

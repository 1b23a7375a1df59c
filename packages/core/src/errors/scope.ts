/**
 * The npm scope of every package. Beside imports, only this line of the code writes it: docs/releasing.md has the
 * command that moves everything to another scope.
 */
export const SCOPE = "@dt";

/** The first part of the name of every channel of `node:diagnostics_channel`. */
export const CHANNEL_PREFIX = "dt";

/** A package by its full name: `packageName("core")` is the name of this one. */
export function packageName(name: string): string {
  return `${SCOPE}/${name}`;
}

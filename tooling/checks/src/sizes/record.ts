import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import type { Sizes } from "./measure.ts";

export const RECORD: string = join(repositoryRoot, "tooling/checks/sizes.json");
export const PAGE: string = join(repositoryRoot, "docs/sizes.md");

/** How far a size may be over its record. A tarball has a page, which grows with its text. */
const MOST = { bundled: 1.03, packed: 1.05 } as const;

/** Sizes that are too large, or that the record lacks, in words. */
export function exceeded(measured: Sizes, recorded: Sizes): string[] {
  return (["bundled", "packed"] as const).flatMap((kind) =>
    Object.entries(measured[kind]).flatMap(([name, bytes]) => {
      const before = recorded[kind][name];
      if (before === undefined) return [`${kind} ${name}: ${bytes} bytes, which are not on record`];
      return bytes <= before * MOST[kind] ? [] : [`${kind} ${name}: ${bytes} bytes, on record are ${before}`];
    }),
  );
}

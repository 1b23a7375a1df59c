import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import type { Sizes } from "./measure.ts";

export const RECORD: string = join(repositoryRoot, "tooling/checks/sizes.json");
export const PAGE: string = join(repositoryRoot, "docs/sizes.md");

/** How far a size may be over its record. Tools that pack and compress differ by less. */
const MOST = 1.03;

/** Sizes that are too large, or that the record lacks, in words. */
export function exceeded(measured: Sizes, recorded: Sizes): string[] {
  return (["bundled", "packed"] as const).flatMap((kind) =>
    Object.entries(measured[kind]).flatMap(([name, bytes]) => {
      const before = recorded[kind][name];
      if (before === undefined) return [`${kind} ${name}: ${bytes} bytes, which are not on record`];
      return bytes <= before * MOST ? [] : [`${kind} ${name}: ${bytes} bytes, on record are ${before}`];
    }),
  );
}

import { parseArgs } from "node:util";

export interface Options {
  /** Asks no registry, and leaves nothing behind. */
  readonly dryRun: boolean;
  /** The folder that everything is packed into. */
  readonly out: string;
  readonly help: boolean;
}

export const HELP = `Checks, builds and packs what is to be published, and stops before it is.

  npm run -s release -- [options]

  --dry-run       asks no registry which versions it has: everything is packed, checked, shown, and removed again
  --out <folder>  where the packages are packed to; default: packed
  --help          this text

What is packed is published by: changeset publish --from-pack-dir <folder> --no-git-tag
`;

/** @throws Error for options that there are not */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "dry-run": { type: "boolean", default: false },
      out: { type: "string", default: "packed" },
      help: { type: "boolean", default: false },
    },
  });
  return { dryRun: values["dry-run"], out: values.out, help: values.help };
}

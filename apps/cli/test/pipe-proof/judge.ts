import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** The three outputs of a part. */
export interface PartOutputs {
  readonly success: string;
  readonly throttled: string;
  readonly errors: string;
}

export type Kind = keyof PartOutputs;
export const KINDS = ["success", "throttled", "errors"] as const satisfies readonly Kind[];

/** What the files say, all parts together. */
export interface Judged {
  readonly records: number;
  readonly lines: Readonly<Record<Kind, number>>;
  /** Records that are in no file. */
  readonly lost: number;
  /** Lines beyond a record's first. */
  readonly repeated: number;
  /** Of these, lines in another file than the first. */
  readonly repeatedElsewhere: number;
  /** Lines that are no JSON, or whose input is not that record as it was read, or is another part's. */
  readonly wrong: number;
  /** By the text of the error, digits taken away: how many lines. */
  readonly errors: Readonly<Record<string, number>>;
  /** Records with a line in the file of successes. */
  readonly succeeded: ReadonlySet<number>;
  /** Lines beyond a record's first, of each part. */
  readonly repeatedOfPart: readonly number[];
}

/**
 * Reads the outputs of all parts, and nothing that the program says of itself.
 * @param recordOf the n-th record, as it stands in the input
 */
export async function judge(
  records: number,
  parts: readonly PartOutputs[],
  recordOf: (n: number) => unknown,
): Promise<Judged> {
  const firstIn = new Map<number, Kind>();
  const succeeded = new Set<number>();
  const lines = { success: 0, throttled: 0, errors: 0 };
  const errors: Record<string, number> = {};
  const repeatedOfPart = parts.map(() => 0);
  let repeatedElsewhere = 0;
  let wrong = 0;
  for (const [part, outputs] of parts.entries())
    for (const kind of KINDS)
      for await (const line of createInterface({ input: createReadStream(outputs[kind]) })) {
        lines[kind] += 1;
        const letter = parsed(line);
        const id = letter?.input?.id;
        const isRight = id !== undefined && id % parts.length === part && id < records;
        if (!isRight || JSON.stringify(letter?.input) !== JSON.stringify(recordOf(id))) {
          wrong += 1;
          continue;
        }
        if (letter?.error !== undefined) {
          const text = letter.error.replaceAll(/\d+(\.\d+)?(e-\d+)?$/g, "n");
          errors[text] = (errors[text] ?? 0) + 1;
        }
        const before = firstIn.get(id);
        if (before !== undefined) {
          repeatedOfPart[part] = (repeatedOfPart[part] ?? 0) + 1;
          if (before !== kind) repeatedElsewhere += 1;
        } else firstIn.set(id, kind);
        if (kind === "success") succeeded.add(id);
      }
  const repeated = repeatedOfPart.reduce((sum, one) => sum + one, 0);
  return {
    records,
    lines,
    lost: records - firstIn.size,
    repeated,
    repeatedElsewhere,
    wrong,
    errors,
    succeeded,
    repeatedOfPart,
  };
}

interface Letter {
  readonly input?: { readonly id?: number };
  readonly error?: string;
}

function parsed(line: string): Letter | undefined {
  try {
    return JSON.parse(line) as Letter;
  } catch {
    return undefined;
  }
}

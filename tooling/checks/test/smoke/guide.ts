import { readFileSync } from "node:fs";

/** What a reader of a guide does, one after the other. */
export type Step =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "replace"; readonly name: string; readonly before: string; readonly after: string }
  /** Commands of a shell, one per line; the last one ends with this exit code and the others with 0. */
  | { readonly kind: "run"; readonly commands: readonly string[]; readonly exitCode: number }
  /** Lines that the last command has printed on standard output. */
  | { readonly kind: "output"; readonly lines: readonly string[] };

interface Block {
  readonly comment: string | undefined;
  readonly text: string;
}

/**
 * Reads the steps from a page: each block of code is preceded by a comment that says what it is for (`file: <name>`,
 * `replace: <name>` and `with`, `run`, `run: exit <code>`, `output`).
 * @throws Error for a block that says nothing, so that nothing on the page goes untested
 */
export function readGuide(path: string): Step[] {
  const page = readFileSync(path, "utf8");
  const blocks: Block[] = [...page.matchAll(/(?:<!-- (.+?) -->\n)?^```\w+\n([\s\S]*?)^```$/gm)].map(
    ([, comment, text = ""]) => ({ comment, text }),
  );
  return blocks.flatMap((block, index) => stepOf(block, blocks[index + 1]));
}

function stepOf({ comment = "", text }: Block, next: Block | undefined): Step[] {
  const [, word, value = ""] = /^(\w+)(?:: (.+))?$/.exec(comment) ?? [];
  switch (word) {
    case "file":
      return [{ kind: "file", name: value, text }];
    case "replace":
      if (next?.comment !== "with") throw new Error(`nothing is put in the place of: ${text}`);
      return [{ kind: "replace", name: value, before: text, after: next.text }];
    case "with":
      return [];
    case "run":
      return [{ kind: "run", commands: linesOf(text), exitCode: Number(/^exit (\d+)$/.exec(value)?.[1] ?? 0) }];
    case "output":
      return [{ kind: "output", lines: linesOf(text) }];
    default:
      throw new Error(`a block of code with the comment "${comment}": ${text}`);
  }
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

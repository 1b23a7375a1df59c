const WIDTH = 120;

/** Code in backquotes, which stays in one line, or a word. */
const WORD = /(?:`[^`]*`|[^\s`])+/g;
/** What a line of prose or an item of a list begins with, and the rest. */
const LINE = /^(\s*(?:- |\d+\. )?)(.*)$/;
const TABLE_OR_HEADING = /^\s*(?:\||#)/;

/** The page with its long lines of prose wrapped at 120 columns. Tables and headings stay as they are. */
export function wrapLines(page: string): string {
  return page
    .split("\n")
    .flatMap((line) => (line.length <= WIDTH || TABLE_OR_HEADING.test(line) ? [line] : wrapped(line)))
    .join("\n");
}

function wrapped(long: string): string[] {
  const [, start = "", text = ""] = LINE.exec(long) ?? [];
  const lines: string[] = [];
  let line = start;
  for (const word of text.match(WORD) ?? []) {
    const isFirst = line.trimEnd() === start.trimEnd();
    if (!isFirst && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = " ".repeat(start.length) + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line];
}

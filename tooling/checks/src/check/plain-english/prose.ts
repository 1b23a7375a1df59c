/** What a reader reads of a page: texts of one or several sentences each, and cells of tables. */
export interface Prose {
  readonly texts: readonly string[];
  readonly cells: readonly string[];
}

const ITEM = /^\s*(?:>\s?)*(?:[-*+]|\d+[.)])\s+/;
const RULER = /^[\s|:-]*$/;

/** The prose of Markdown: without blocks of code, comments and addresses. Code within a line counts as a word. */
export function proseOfMarkdown(page: string): Prose {
  const read = page
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/^(\s*)(```+|~~~+)[\s\S]*?^\s*\2\s*$/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/`+[^`]+`+/g, "`code`")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<[^>\n]+>/g, "");
  const texts: string[] = [];
  const cells: string[] = [];
  let text: string[] = [];
  const end = (): void => {
    if (text.length > 0) texts.push(text.join(" "));
    text = [];
  };
  for (const line of read.split("\n")) {
    const isTable = /^\s*\|/.test(line);
    if (isTable || line.trim() === "" || ITEM.test(line) || line.startsWith("#")) end();
    if (isTable && !RULER.test(line)) cells.push(...cellsOf(line));
    if (!isTable && line.trim() !== "" && !RULER.test(line)) text.push(line.replace(ITEM, "").replace(/^[#>\s]+/, ""));
    if (line.startsWith("#")) end();
  }
  end();
  return { texts, cells };
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
}

/** The prose of a doc comment, without its stars: every tag begins a text of its own, and an example is code. */
export function proseOfDocComment(comment: string): Prose {
  const page = comment
    .replace(/^@example[\s\S]*?(?=^@|$(?![\s\S]))/gm, "")
    .replace(/\{@link\s+([^}|\s]+)[^}]*\}/g, "`$1`")
    .replace(/^@(?:param|typeParam)\s+\S+/gm, "\n")
    .replace(/^@\w+/gm, "\n");
  return proseOfMarkdown(page);
}

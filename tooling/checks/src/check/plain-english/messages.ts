import { parseSync } from "vite";

/** Text of fewer words is a name, a unit or a part of something. */
const LEAST_WORDS = 4;

/**
 * The messages in a file: every text of at least four words, which errors, remedies and the help of commands are made
 * of. A value that is put in counts as a word.
 */
export function messagesIn(file: string, text: string): readonly string[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  const found: string[] = [];
  visit(program, (node) => {
    if (node.type === "Literal" && typeof node.value === "string") found.push(node.value);
    if (node.type === "TemplateLiteral") found.push(textOf(node.quasis));
  });
  return found.map((message) => message.trim()).filter(isMessage);
}

interface Quasi {
  readonly value: { readonly cooked: string };
}

function textOf(quasis: readonly Quasi[]): string {
  return quasis.map(({ value }) => value.cooked).join("`value`");
}

function isMessage(text: string): boolean {
  return (text.match(/(?<=^|[\s"(])[a-z]+(?=$|[\s.,;:)"])/gi) ?? []).length >= LEAST_WORDS;
}

/**
 * A message states what is wrong and, after a semicolon, the remedy: each is a sentence. So are paragraphs and indented
 * lines of a longer text.
 */
export function partsOfMessage(message: string): readonly string[] {
  return message.split(/;\s+|\n\s*\n|\n {2,}/).map((part) => part.replace(/\s+/g, " ").trim());
}

/** A node of a syntax tree, with the fields that are read here. */
interface Node {
  readonly type: string;
  readonly value: unknown;
  readonly quasis: readonly Quasi[];
}

function visit(value: unknown, use: (node: Node) => void): void {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value) use(value as Node);
  for (const part of Object.values(value)) visit(part, use);
}

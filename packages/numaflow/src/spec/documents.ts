import { DtError } from "@dt/core";
import {
  Composer,
  type CST,
  type Document,
  isScalar,
  Lexer,
  LineCounter,
  type Pair,
  type ParsedNode,
  Parser,
  visit,
  type YAMLMap,
} from "yaml";

/** The longest text of specs, in characters: 1 MiB. Kubernetes stores no object above 1.5 MiB. */
export const LONGEST_TEXT = 2 ** 20;

/** Deeper than any spec. The parser follows the nesting of a text with its own stack. */
const DEEPEST = 100;
/** A spec of a thousand vertices has fewer words, signs and spaces. */
const MOST_LEXEMES = 150_000;
/** Documents in one text. */
const MOST_DOCUMENTS = 1_000;
/** The most that aliases may make of a document, in nodes. More of them are an attack ("a billion laughs"). */
const MOST_ALIASES = 1_000;

/**
 * The documents of a YAML file as values; empty documents are left out. Numbers and booleans are those of YAML 1.1, as
 * Kubernetes reads them: `yes` is true.
 * @throws DtError `DT_INVALID_OPTION` where the text is too long, no YAML, nested too deeply, or has too many aliases
 */
export function readDocuments(text: string): readonly unknown[] {
  if (text.length > LONGEST_TEXT)
    throw unreadable(`it has ${text.length} characters; give at most ${LONGEST_TEXT}, such as one file for each spec`);
  const lines = new LineCounter();
  // Two equal keys are looked for below: the composer would compare each key with each other.
  const composer = new Composer({ version: "1.1", logLevel: "silent", uniqueKeys: false });
  const values: unknown[] = [];
  let documents = 0;
  for (const document of composer.compose(tokensOf(text, lines))) {
    documents += 1;
    if (documents > MOST_DOCUMENTS) throw unreadable(`it has more than ${MOST_DOCUMENTS} documents; split it`);
    values.push(valueIn(document, lines));
  }
  return values.filter((value) => value !== null && value !== undefined);
}

/** The tokens of a text, as far as they stay within bounds. */
function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes += 1;
    if (lexemes > MOST_LEXEMES) throw unreadable("it has too many parts; give a smaller file, one for each spec");
    yield* parser.next(lexeme);
    if (parser.stack.length > DEEPEST) throw unreadable(`it is nested more than ${DEEPEST} deep`);
  }
  yield* parser.end();
}

function valueIn(document: Document.Parsed<ParsedNode>, lines: LineCounter): unknown {
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    // Not its message: it repeats what stands there, which may be a password.
    const reason = error.code.toLowerCase().replaceAll("_", " ");
    throw unreadable(`it is not YAML, at line ${line}, column ${col}: ${reason}`);
  }
  visit(document, { Map: (_, map) => refuseEqualKeys(map, lines) });
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    // A merged map that is in itself goes on until the stack ends.
    if (error instanceof RangeError) throw unreadable("a map of it is merged with itself", error);
    if (!(error instanceof ReferenceError)) throw error;
    throw unreadable(
      error.message.startsWith("Excessive")
        ? "its aliases make far more of it than it has; write the values out"
        : "it has an alias for which there is no anchor before it",
      error,
    );
  }
}

function refuseEqualKeys({ items }: YAMLMap, lines: LineCounter): void {
  const seen = new Set<unknown>();
  for (const { key } of items as Pair[]) {
    if (!isScalar(key) || key.value === "<<") continue;
    if (seen.has(key.value)) {
      const { line, col } = lines.linePos(key.range?.[0] ?? 0);
      throw unreadable(`at line ${line}, column ${col} is a key that stands there twice`);
    }
    seen.add(key.value);
  }
}

function unreadable(reason: string, cause?: unknown): DtError {
  return new DtError("DT_INVALID_OPTION", `the spec cannot be read: ${reason}`, { cause });
}

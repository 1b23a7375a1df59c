import { DtError } from "@dt/core";
import { type Document, type ParsedNode, parseAllDocuments } from "yaml";

/** The longest text of specs, in characters: 1 MiB. Kubernetes stores no object above 1.5 MiB. */
export const LONGEST_TEXT = 2 ** 20;

/** The most that aliases may make of a document, in nodes. More of them are an attack ("a billion laughs"). */
const MOST_ALIASES = 1_000;

/**
 * The documents of a YAML file as values; empty documents are left out. Keys, numbers and booleans are those of YAML
 * 1.1, as Kubernetes reads them: `yes` is true.
 * @throws DtError `DT_INVALID_OPTION` where the text is too long, no YAML, nested too deeply, or has too many aliases
 */
export function readDocuments(text: string): readonly unknown[] {
  if (text.length > LONGEST_TEXT)
    throw unreadable(`it has ${text.length} characters; give at most ${LONGEST_TEXT}, such as one file for each spec`);
  try {
    const documents = parseAllDocuments(text, { version: "1.1", logLevel: "silent" });
    return [...documents].map(valueIn).filter((value) => value !== null && value !== undefined);
  } catch (error) {
    // The parser follows the nesting of a text with its own stack.
    if (error instanceof RangeError) throw unreadable("it is nested too deeply", error);
    throw error;
  }
}

function valueIn(document: Document.Parsed<ParsedNode>): unknown {
  const [error] = document.errors;
  if (error !== undefined) {
    // Only the first line: the others repeat what the file has, which may be a password.
    const [reason = ""] = error.message.split("\n");
    throw unreadable(`it is not YAML: ${reason.replace(/:$/, "")}`, undefined);
  }
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    // The parser has no other error of this kind here: an alias of nothing was found above.
    if (!(error instanceof ReferenceError)) throw error;
    throw unreadable("its aliases make far more of it than it has; write the values out", error);
  }
}

function unreadable(reason: string, cause?: unknown): DtError {
  return new DtError("DT_INVALID_OPTION", `the spec cannot be read: ${reason}`, { cause });
}

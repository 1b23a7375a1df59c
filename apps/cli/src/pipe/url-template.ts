import { asText, parsePlaces } from "./template.ts";

/** Control characters and what separates segments: servers and proxies undo escapes before they look. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_IN_A_SEGMENT = /[/\\\u0000-\u001f\u007f]/;
/** Also with a parameter of the segment behind them, which servers of Java take off first. */
const DOTS = /^(?:\.|%2e){1,2}(?:(?:;|%3b).*)?$/i;
/** Stands for a field; no command line holds it. */
const PLACE = "\0";

/**
 * The URL of each record. Fields are escaped. A record decides neither how many segments the path has nor which
 * parameters the query has.
 * @throws UsageError when a place names no field; what it returns throws an Error that says why a record has no URL
 */
export function urlTemplate(text: string): (record: unknown) => URL {
  const { literals, fields } = parsePlaces("--url", text);
  const written = (values: readonly string[]): string =>
    literals.map((literal, index) => literal + (values[index] ?? "")).join("");
  if (fields.length === 0) {
    const url = new URL(text);
    return () => url;
  }
  const shape = partsOf(written(fields.map(() => PLACE)));
  const inPath = shape.path.join("/").split(PLACE).length - 1;
  return (record) => {
    const values = fields.map((field) => asText(field(record)));
    for (const [index, value] of values.entries()) checkValue(value, index < inPath);
    const url = written(values.map(encodeURIComponent));
    const { path, names } = partsOf(url);
    for (const [index, segment] of path.entries()) if (shape.path[index]?.includes(PLACE)) checkSegment(segment);
    for (const [index, name] of names.entries())
      if (shape.names[index]?.includes(PLACE) && name === "") throw new Error("--url: a parameter would have no name");
    return new URL(url);
  };
}

/** The segments of a URL's path, the host before them, and the names of its parameters. */
function partsOf(url: string): { readonly path: readonly string[]; readonly names: readonly string[] } {
  const [beforeFragment = ""] = url.split("#", 1);
  const [path = ""] = beforeFragment.split("?", 1);
  const names = beforeFragment.slice(path.length + 1).split("&");
  return { path: path.split(/[/\\]/), names: names.map((parameter) => parameter.split("=", 1)[0] ?? "") };
}

function checkValue(value: string, inPath: boolean): void {
  if (!value.isWellFormed()) throw new Error("--url: a field of the record holds half a character (a lone surrogate)");
  if (inPath && NOT_IN_A_SEGMENT.test(value.replace(/%(?:25)*(?:2f|5c|[01][0-9a-f]|7f)/gi, "/")))
    throw new Error("--url: a field in the path holds a slash, a backslash or a control character");
}

function checkSegment(segment: string): void {
  if (segment === "") throw new Error("--url: a field in the path is empty: the path would be another one");
  if (DOTS.test(segment.replaceAll(/%(?:25)+/g, "%")))
    throw new Error('--url: a field in the path is "." or "..": the path would be another one');
}

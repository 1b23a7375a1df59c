import { validateHeaderName, validateHeaderValue } from "node:http";
import { UsageError } from "../exit-code.ts";
import { asJson, asText, asUrlPart, parsePlaces, parseTemplate, type Template } from "./template.ts";
import { urlTemplate } from "./url-template.ts";

/** What is sent for a record. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The parts of a request as the command line has them. */
export interface RequestFlags {
  readonly url: string;
  readonly method: string;
  readonly header: readonly string[];
  readonly body: string | undefined;
}

/** Methods that send no body unless one is asked for. */
const BODILESS = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);

/** What is to be sent for each record. */
export interface Requests {
  /** The host and the port: the same for all. */
  readonly origin: URL;
  /** Throws when the record does not have what the request asks for. */
  readonly of: (record: unknown) => HttpRequest;
}

/**
 * Says what to send for each record. Where none is given, the body is the record itself. No message repeats what was
 * given: it may hold a secret.
 * @throws UsageError when an option makes no sense
 */
export function requestsOf({ url, method, header, body }: RequestFlags): Requests {
  if (!/^[A-Z]+$/.test(method))
    throw new UsageError("--method is no method; give one in capitals, such as POST or PUT");
  const origin = originOf(url);
  const urlOf = urlTemplate(url);
  const headers = header.map((line) => headerTemplate(line));
  const text = body ?? (BODILESS.has(method) ? undefined : "{{.}}");
  const type = headers.find(({ name }) => name.toLowerCase() === "content-type");
  const bodyOf = text === undefined ? undefined : parseTemplate("--body", text, isForm(type) ? asUrlPart : asJson);
  const first: Record<string, string> = bodyOf && !type ? { "content-type": "application/json" } : {};
  const of = (record: unknown): HttpRequest => ({
    url: urlOf(record),
    method,
    headers: { ...first, ...Object.fromEntries(headers.map(({ name, value }) => [name, value(record)])) },
    body: bodyOf?.(record),
  });
  return { origin, of };
}

/**
 * The host must be in the text: whom a limit is about, and who gets the records, does not depend on what the records
 * say.
 */
function originOf(text: string): URL {
  const [origin] = /^https?:\/\/[^/?#{}\s]+(?=[/?#]|$)/.exec(text) ?? [];
  if (origin !== undefined && URL.canParse(origin)) return new URL(origin);
  throw new UsageError("--url is no address; give one that begins with http:// or https:// and a host");
}

/** A header of the command line. */
interface Header {
  readonly name: string;
  readonly text: string;
  readonly value: Template;
}

/** In a form, text within quotes could add fields. */
function isForm(type: Header | undefined): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type?.text ?? "");
}

/** They say where a request goes, or where it ends. */
const NOT_FROM_RECORDS: ReadonlySet<string> = new Set([
  ...["host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "expect", "te", "trailer"],
]);

function headerTemplate(line: string): Header {
  const [, name = "", text = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
  const { fields } = parsePlaces("--header", text);
  try {
    validateHeaderName(name);
    if (fields.length === 0) validateHeaderValue(name, text);
  } catch {
    throw new UsageError('a --header is no header; give a name, a colon and a value, as in "Accept: text/plain"');
  }
  if (fields.length > 0 && NOT_FROM_RECORDS.has(name.toLowerCase()))
    throw new UsageError(`--header ${name} holds a field; records do not decide where a request goes, or ends`);
  const template = parseTemplate("--header", text, asText);
  if (fields.length === 0) return { name, text, value: template };
  return { name, text, value: (record) => checkedValue(name, template(record)) };
}

/** @throws Error when a record makes it a value that cannot be sent */
function checkedValue(name: string, value: string): string {
  if (value.trim() === "") throw new Error(`--header ${name}: the record leaves it empty`);
  try {
    validateHeaderValue(name, value);
  } catch {
    throw new Error(`--header ${name}: the record holds a line break or another character that no header can have`);
  }
  return value;
}

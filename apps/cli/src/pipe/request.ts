import { validateHeaderName } from "node:http";
import { UsageError } from "../exit-code.ts";
import { asJson, asText, asUrlPart, parseTemplate, type Template } from "./template.ts";

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
 * Says what to send for each record. Where none is given, the body is the record itself.
 * @throws UsageError when an option makes no sense
 */
export function requestsOf({ url, method, header, body }: RequestFlags): Requests {
  if (!/^[A-Z]+$/.test(method))
    throw new UsageError(`--method is "${method}"; give one in capitals, such as POST or PUT`);
  const origin = originOf(url);
  const urlOf = urlTemplate(url);
  const headers = header.map((line) => headerTemplate(line));
  const text = body ?? (BODILESS.has(method) ? undefined : "{{.}}");
  const bodyOf = text === undefined ? undefined : parseTemplate("--body", text, asJson);
  const hasType = headers.some(({ name }) => name.toLowerCase() === "content-type");
  const first: Record<string, string> = bodyOf && !hasType ? { "content-type": "application/json" } : {};
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
  throw new UsageError(`--url is "${text}"; give an address that begins with http:// or https:// and a host`);
}

function urlTemplate(text: string): (record: unknown) => URL {
  const template = parseTemplate("--url", text, asUrlPart);
  if (text.includes("{{")) return (record) => new URL(template(record));
  const url = new URL(text);
  return () => url;
}

function headerTemplate(line: string): { readonly name: string; readonly value: Template } {
  const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
  try {
    validateHeaderName(name);
  } catch {
    throw new UsageError(`--header is "${line}"; give a name, a colon and a value, as in "Accept: text/plain"`);
  }
  return { name, value: parseTemplate("--header", value, asText) };
}

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** One line of the input, ready to be sent. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A line of the input that is not empty: a request, or what is wrong with it. */
export type Line = { readonly number: number } & ({ readonly request: LoadRequest } | { readonly fault: string });

/**
 * Reads one line of a JSONL file of requests: an object with `path` (default "/"), `method` (default GET, with a body
 * POST), `headers` (strings) and `body` (a string is sent as it is, anything else as JSON). Other fields are left
 * alone.
 */
export function parseLine(number: number, text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { number, fault: (error as Error).message };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { number, fault: "not a JSON object" };
  const { path = "/", headers = {}, body, method = body === undefined ? "GET" : "POST" } = value as JsonRequest;
  if (typeof path !== "string" || !/^\/[!-~]*$/.test(path))
    return { number, fault: '"path" must be a string that begins with "/", without spaces' };
  if (typeof method !== "string" || !/^[A-Z]+$/.test(method) || method === "CONNECT")
    return { number, fault: '"method" must be an HTTP method in capitals' };
  if (!isHeaders(headers)) return { number, fault: '"headers" must be an object of header names and strings' };
  const sent = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return { number, request: { method, path, headers, body: sent } };
}

/** All lines of a file, in order, without the empty ones. Reads as it goes: the file may be large. */
export async function* linesOf(file: string): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    const line = number === 1 ? text.replace(/^\uFEFF/, "") : text;
    if (line.trim() !== "") yield parseLine(number, line);
  }
}

/**
 * The valid requests number `first`, `first + step`, ... of a file, from the top again at its end, for ever. The file
 * must have a valid one.
 */
export async function* endlessRequests(file: string, first: number, step: number): AsyncGenerator<LoadRequest> {
  for (let index = 0, wanted = first; ; ) {
    for await (const line of linesOf(file)) {
      if (!("request" in line)) continue;
      if (index === wanted) {
        yield line.request;
        wanted += step;
      }
      index += 1;
    }
  }
}

interface JsonRequest {
  readonly path?: unknown;
  readonly method?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
}

function isHeaders(value: unknown): value is Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => /^[\w-]+$/.test(name) && typeof text === "string" && /^[ -~]*$/.test(text),
  );
}

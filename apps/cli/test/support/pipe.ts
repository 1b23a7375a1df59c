import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scratchFolder } from "./scratch.ts";

/**
 * A real HTTP server that lasts as long as the test. It knows the ids of the records that came, in their order, and
 * when they did.
 */
export interface TestCallee {
  readonly url: string;
  readonly ids: readonly number[];
  readonly atMs: readonly number[];
}

/** @param answer what becomes of a request; it is the n-th, from 1 */
export async function startTestCallee(
  answer: (response: ServerResponse, id: number, n: number, request: IncomingMessage) => void = (response) =>
    response.end("done"),
): Promise<TestCallee> {
  const ids: number[] = [];
  const atMs: number[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { id = -1 } = (body === "" ? {} : JSON.parse(body)) as { id?: number };
    ids.push(id);
    atMs.push(performance.now());
    answer(response, id, ids.length, request);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ids, atMs };
}

/** A folder with an input of so many records, and what `dt pipe` is told of it. */
export interface PipeFolder {
  readonly folder: string;
  /** `pipe`, the input, the outputs. */
  readonly args: readonly string[];
  path(name: string): string;
  /** The lines of a file, parsed; none where there is no file. */
  lines(name: string): Letter[];
  /** The ids in all three outputs, ascending. */
  ids(...suffixes: string[]): number[];
}

export interface Letter {
  readonly input: { readonly id: number };
  readonly output?: unknown;
  readonly error?: string;
}

export function pipeFolder(records: number): PipeFolder {
  const folder = scratchFolder();
  const path = (name: string): string => join(folder, name);
  writeFileSync(path("in.jsonl"), linesFrom(0, records));
  const outputs = ["--success", path("ok.jsonl"), "--throttled", path("later.jsonl"), "--errors", path("err.jsonl")];
  const lines = (name: string): Letter[] =>
    existsSync(path(name))
      ? readFileSync(path(name), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Letter)
      : [];
  const ids = (...suffixes: string[]): number[] =>
    (suffixes.length === 0 ? [""] : suffixes)
      .flatMap((suffix) => ["ok", "later", "err"].flatMap((name) => lines(`${name}${suffix}.jsonl`)))
      .map(({ input }) => input.id)
      .sort((a, b) => a - b);
  return { folder, args: ["pipe", "--input", path("in.jsonl"), ...outputs], path, lines, ids };
}

/** Lines of records with the ids `from` to `to`. */
export function linesFrom(from: number, to: number): string {
  return numbers(from, to)
    .map((id) => `${JSON.stringify({ id, text: `record ${id}` })}\n`)
    .join("");
}

/** The whole numbers from `from`, before `to`. */
export function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

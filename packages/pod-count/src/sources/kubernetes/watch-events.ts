import type { IncomingMessage } from "node:http";
import { DtError } from "@dt/core";

/** One line of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/** The longest event: a slice has at most 1,000 endpoints. */
const LONGEST_LINE = 16 * 2 ** 20;

/**
 * The events of a watch, as they come. Ends when the API server ends the watch properly.
 * @throws DtError `DT_STORE_REPLY`, and what the connection throws when it breaks
 */
export async function* watchEvents(response: IncomingMessage): AsyncGenerator<WatchEvent, void, void> {
  response.setEncoding("utf8");
  let rest = "";
  for await (const chunk of response) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop() as string;
    if (rest.length > LONGEST_LINE) throw malformed(rest);
    for (const line of lines) if (line.trim() !== "") yield parseEvent(line);
  }
  if (rest.trim() !== "") throw malformed(rest);
}

function parseEvent(line: string): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    throw malformed(line);
  }
  const { type, object } = (event ?? {}) as Partial<WatchEvent>;
  if (typeof type !== "string" || typeof object !== "object" || object === null) throw malformed(line);
  return { type, object };
}

function malformed(line: string): DtError {
  return new DtError(
    "DT_STORE_REPLY",
    `kubernetes: a watch answered ${JSON.stringify(line.slice(0, 60))}, which is not an event`,
  );
}

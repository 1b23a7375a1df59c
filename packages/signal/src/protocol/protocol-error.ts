import { DtError } from "@dt/core";

/** What the other side sent is against the protocol: its connection is closed. */
export function protocolError(what: string, cause?: unknown): DtError {
  return new DtError("DT_PROTOCOL", `${what}; the connection is closed`, { cause });
}

import { listenTo } from "./listen.ts";
import type { Reader } from "./reader.ts";

/** An operation of a store that has come to its end. */
export interface Operation {
  /** The method that was called. */
  readonly operation: string;
  /** From the call to its end, in milliseconds. */
  readonly durationMs: number;
  /** The code of its error; undefined for a success. */
  readonly error: string | undefined;
}

/** How a store is read: by the events of its operations alone. Nothing of it ends by itself. */
export function storeReader(source: { readonly capabilities: { readonly name: string } }): Reader {
  const attributes = { "dt.store": source.capabilities.name };
  return {
    attributes,
    read: () => false,
    listen: (record) =>
      listenTo<Operation>(source, "operation", ({ operation, durationMs, error }) =>
        record("dt.store.operation.duration", durationMs / 1_000, {
          "dt.operation": operation,
          ...(error !== undefined && { "error.type": error }),
        }),
      ),
  };
}

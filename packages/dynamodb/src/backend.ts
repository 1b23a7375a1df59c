import { type CellName, cellBackend, type DocumentCell, Sessions } from "@dt/cas";
import { randomId, type StoreCapabilities } from "@dt/core";
import type { Backend } from "@dt/core/store";
import { DynamoDbDocumentCell } from "./documents/dynamodb-document-cell.ts";
import { toDtError } from "./errors.ts";
import { GroupSession, type SessionContext } from "./group-session.ts";
import { cellKey, groupKeys } from "./keys.ts";
import { listNames } from "./listing.ts";
import { checkDynamoDbStoreOptions, type DynamoDbStoreOptions } from "./options.ts";

/** What every DynamoDB store can do. */
export const dynamodbCapabilities: StoreCapabilities = {
  name: "dynamodb",
  clock: "hybrid",
  ledger: true,
  losesData: false,
  hints: false,
  demand: true,
  demandMembers: 50,
};

/**
 * How long a key's permits or a budget are kept beyond the time for which they mean something; and a bucket, of which
 * there may be millions. DynamoDB deletes them some time afterwards.
 */
const KEEP_MS = 86_400_000;
const KEEP_BUCKET_MS = 60_000;

/** Items of one table. @throws DtError `DT_INVALID_OPTION` */
export function dynamodbBackend(options: DynamoDbStoreOptions): Backend {
  const { prefix, ...settings } = checkDynamoDbStoreOptions(options);
  return backendOn({ ...settings, client: randomId(settings.runtime) }, prefix);
}

/** The same over any driver. */
export function backendOn(context: SessionContext, prefix: string): Backend {
  const { driver, runtime, timeoutMs, client } = context;
  const cellOf = (cell: CellName): DocumentCell => {
    const keepMs = cell.kind === "keyed" ? KEEP_BUCKET_MS : KEEP_MS;
    return new DynamoDbDocumentCell(driver, cellKey(prefix, cell), keepMs, () => randomId(runtime));
  };
  return cellBackend({
    capabilities: dynamodbCapabilities,
    runtime,
    timeoutMs,
    client,
    groups: new Sessions((name) => {
      const limit = cellOf({ kind: "limit", target: { kind: "group", name } });
      return new GroupSession(groupKeys(prefix, name), limit, context);
    }),
    cellOf,
    names: (kind, place) => listNames(driver, kind, prefix, place),
    toDtError,
    close: () => driver.close(),
  });
}

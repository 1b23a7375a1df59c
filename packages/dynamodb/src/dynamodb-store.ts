import { Store } from "@dt/core/store";
import { dynamodbBackend } from "./backend.ts";
import type { DynamoDbStoreOptions } from "./options.ts";

/**
 * A store in a DynamoDB table. One item holds a group's ledger and is changed by conditional writes. Each member has a
 * small item for its heartbeats, and each pacer's key one for its permits. The clock is a hybrid logical one, since
 * DynamoDB has none. In addition to the contracts' errors it throws `DT_STORE_UNSUITABLE` when the table is missing or
 * access is denied, and `DT_STORE_DATA` when an item was written by a newer version.
 */
export class DynamoDbStore extends Store {
  /**
   * Opens nothing yet: the first call does.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: DynamoDbStoreOptions) {
    super(dynamodbBackend(options));
  }
}

/**
 * A coordination store in DynamoDB; the same as `new DynamoDbStore(options)`.
 * @param options the client or how to make one, and the table
 * @example const store = dynamodbStore({ table: "limits", config: { region: "eu-central-1" } });
 */
export function dynamodbStore(options: DynamoDbStoreOptions): DynamoDbStore {
  return new DynamoDbStore(options);
}

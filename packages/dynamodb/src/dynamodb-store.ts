import { Store } from "@dt/core/store";
import { dynamodbBackend } from "./backend.ts";
import type { DynamoDbStoreOptions } from "./options.ts";

/**
 * The ledger in a DynamoDB table: one item for a group's ledger, changed by conditional writes; one small item for each
 * member's heartbeats; and a hybrid logical clock, since DynamoDB has no clock to ask; and one item for each key's
 * permits. In addition to the contracts' errors it throws `DT_STORE_UNSUITABLE` when the table is missing or access is
 * denied, and `DT_STORE_DATA` when an item was written by a newer version.
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

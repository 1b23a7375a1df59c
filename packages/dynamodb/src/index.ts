export { dynamodbCapabilities } from "./backend.ts";
export type { DynamoDbClient, DynamoDbClientConfig } from "./dynamodb-driver.ts";
export { DynamoDbStore, dynamodbStore } from "./dynamodb-store.ts";
export type { DynamoDbStoreOptions } from "./options.ts";
export { type CreateTableOptions, createTable } from "./schema/create-table.ts";
export { cloudFormationTemplate, terraformResource } from "./schema/templates.ts";

/**
 * The table that the store needs: a partition key and a sort key, both text, and the attribute by which DynamoDB
 * deletes garbage.
 */
export const TABLE = { partitionKey: "pk", sortKey: "sk", timeToLive: "expires" } as const;

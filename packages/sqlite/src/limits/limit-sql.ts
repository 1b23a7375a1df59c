import putLimit from "./sql/put-limit.sql";
import selectLimit from "./sql/select-limit.sql";
import selectLimitHead from "./sql/select-limit-head.sql";

/** The statements of limit records, by name. */
export const LIMIT_SQL = { putLimit, selectLimit, selectLimitHead };

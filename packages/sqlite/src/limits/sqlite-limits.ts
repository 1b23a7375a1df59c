import type { LimitTarget } from "@dt/core";
import type { LimitRecordRow, UncheckedLimitRecord } from "@dt/core/ledger";
import type { LimitTable } from "@dt/core/store";
import type { Statements } from "../statements.ts";

/** The limit records of the file, within one transaction. */
export class SqliteLimits implements LimitTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  limit({ kind, name, key = "" }: LimitTarget): UncheckedLimitRecord | undefined {
    return this.#statements.selectLimit.get(kind, name, key) as UncheckedLimitRecord | undefined;
  }

  putLimit({ kind, name, key = "" }: LimitTarget, { revision, values, untilMs, history }: LimitRecordRow): void {
    this.#statements.putLimit.run(kind, name, key, revision, values, untilMs, history);
  }
}

import type { LimitTarget } from "@dt/core";
import { checkLimitHead, type LimitRecordHead, type LimitRecordRow, type UncheckedLimitRecord } from "@dt/core/ledger";
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

/**
 * The limit record of a group, of a key of permits or of a budget, without its history.
 * @throws DtError `DT_STORE_DATA`
 */
export function limitHeadOf(
  statements: Statements,
  kind: Exclude<LimitTarget["kind"], "keyed">,
  name: string,
): LimitRecordHead | undefined {
  const stored = statements.selectLimitHead.get(kind, name, "");
  return stored && checkLimitHead(stored as unknown as Record<keyof LimitRecordHead, unknown>);
}

import type { LimitChange, LimitRecord, LimitTarget } from "../contract/limit-ledger.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { changeLimit } from "../limits/change-limit.ts";
import { checkLimitRow, limitRecordOf } from "../limits/limit-codec.ts";
import type { LimitRecordRow, UncheckedLimitRecord } from "../limits/limit-row.ts";
import type { Backend } from "./backend.ts";
import type { Call } from "./call.ts";

type LimitBackend = Required<Pick<Backend, "readLimit" | "writeLimit">>;

/** Each try loses to another change of the same record: people make them. */
const MOST_TRIES = 20;

/**
 * Reads a record, changes it and writes it, unless another change came between: then it begins anew (L2). A damaged
 * record is replaced by one whose number is a time: no copy has it (L6).
 * @throws DtError `DT_STORE_UNAVAILABLE` where others changed it again and again
 */
export async function setLimit(
  backend: LimitBackend,
  target: LimitTarget,
  change: LimitChange,
  call: Call,
): Promise<LimitRecord> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const { stored, storeTimeMs } = await backend.readLimit(target, call);
    const row = stored && soundRow(stored);
    const changed = changeLimit(target.kind, row, change, storeTimeMs, stored && Math.floor(storeTimeMs));
    const from = stored ? (row?.revision ?? null) : 0;
    if (await backend.writeLimit(target, from, changed, call)) return limitRecordOf(target.kind, changed, storeTimeMs);
  }
  const problem = `others changed the limit at the same time, ${MOST_TRIES} times in a row; nothing was changed`;
  throw new DtError("DT_STORE_UNAVAILABLE", `${call.what}: ${problem}. Try again`);
}

/** What is kept of a limit, as people and tools see it. */
export async function readLimit(
  backend: LimitBackend,
  target: LimitTarget,
  call: Call,
): Promise<LimitRecord | undefined> {
  const { stored, storeTimeMs } = await backend.readLimit(target, call);
  return stored && limitRecordOf(target.kind, checkLimitRow(stored), storeTimeMs);
}

/** Undefined where it is damaged. */
function soundRow(stored: UncheckedLimitRecord): LimitRecordRow | undefined {
  try {
    return checkLimitRow(stored);
  } catch (error) {
    if (!isDtError(error, "DT_STORE_DATA")) throw error;
    return undefined;
  }
}

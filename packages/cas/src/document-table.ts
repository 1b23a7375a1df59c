import {
  checkList,
  countOf,
  DamagedData,
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type LimitRecordHead,
  type MemberCount,
  type MemberRow,
  type RowFormat,
  smallestMaxOf,
} from "@dt/core/ledger";
import { auditLedger } from "./audit.ts";
import { limitHead, type ReadLimit } from "./limits/limit-head.ts";
import { checkTag, decodeGroup, decodeMember, encodeGroup, encodeMember, parseStored, TAG } from "./row-codec.ts";
import { groupEssence, memberEssence, withHeard } from "./unrecorded.ts";

const LEVEL: RowFormat<RememberedLevel> = {
  version: 1,
  fields: [
    ["id", "name"],
    ["level", "time"],
    ["untilMs", "time"],
  ],
};

interface RememberedLevel {
  readonly id: string;
  readonly level: number;
  readonly untilMs: number;
}

/** What a table holds at one time. A row is replaced and never written to, so that the rows themselves will do. */
interface Snapshot {
  readonly group: GroupRow | undefined;
  readonly members: readonly MemberRow[];
  readonly levels: readonly RememberedLevel[];
}

/** What a {@link DocumentTable} is given besides the document. */
export interface DocumentContext {
  /**
   * What a ledger is called that begins here: a text that no other ledger bears. Default `"none"`, for a table that is
   * only looked at.
   */
  readonly newBirth?: string;
  /** Group time of the last heartbeat that is known of, which the ledger itself need not have recorded. Default 0. */
  readonly heardMs?: number;
  /**
   * Incarnations found silent for longer than their stale age, each with the number of its last heartbeat: one whose
   * row has a later number has come back to life since. Default: none.
   */
  readonly stale?: ReadonlyMap<string, number>;
  /** The group's limit record. Default: there is none. */
  readonly limit?: ReadLimit | undefined;
}

/**
 * A whole group's ledger in one document, for stores that can change one value atomically and no more. Read it and let
 * the ledger's functions change the table. Then write {@link encode} back in exchange for the text that was read.
 * O(members) for each change; {@link changed} is false when there is none.
 */
export class DocumentTable implements LedgerTable {
  readonly #members: MemberRow[] = [];
  readonly #byIncarnation = new Map<string, MemberRow>();
  readonly #levels = new Map<string, RememberedLevel>();
  readonly #heardMs: number;
  readonly #stale: ReadonlyMap<string, number>;
  readonly #limit: ReadLimit | undefined;
  readonly #before: Snapshot;
  #birth: string;
  #group: GroupRow | undefined;

  /**
   * @param text what {@link encode} gave; undefined for a group that does not exist
   * @param where what holds it, for messages
   * @throws DtError `DT_STORE_DATA` when it is something else, or its parts do not belong together
   */
  constructor(text: string | undefined, where: string, context: DocumentContext = {}) {
    this.#heardMs = context.heardMs ?? 0;
    this.#birth = context.newBirth ?? "none";
    this.#stale = context.stale ?? new Map();
    this.#limit = context.limit;
    if (text !== undefined) this.#parse(text, where);
    this.#before = this.#snapshot();
  }

  /** True when something was changed that must be recorded, and not only times and numbers of heartbeats. */
  get changed(): boolean {
    const now = this.#snapshot();
    return !(
      same(this.#before.group, now.group, groupEssence) &&
      sameList(this.#before.members, now.members, memberEssence) &&
      sameList(this.#before.levels, now.levels, JSON.stringify)
    );
  }

  /** This ledger's own id, which no other has. */
  get birth(): string {
    return this.#birth;
  }

  encode(): string {
    return JSON.stringify({
      v: TAG,
      birth: this.#birth,
      group: this.#group && encodeGroup(this.#group),
      members: this.#members.map(encodeMember),
      levels: [...this.#levels.values()].map(({ id, level, untilMs }) => [id, level, untilMs]),
    });
  }

  /** Group time at which the last level is forgotten; 0 when none is remembered. */
  get levelsUntilMs(): number {
    return Math.max(0, ...[...this.#levels.values()].map(({ untilMs }) => untilMs));
  }

  group(): GroupRow | undefined {
    return this.#group && withHeard(this.#group, this.#heardMs);
  }

  putGroup(row: GroupRow): void {
    // A hybrid clock has no offset: whoever writes has seen every time that is recorded.
    this.#group = { ...row, offsetMs: 0 };
  }

  member(incarnation: string): MemberRow | undefined {
    const row = this.#byIncarnation.get(incarnation);
    return row && { ...row };
  }

  putMember(row: MemberRow): void {
    // What a member does (R27) comes with its heartbeats, which are no part of the document.
    const copy = { ...row, activity: null };
    this.#byIncarnation.set(row.incarnation, copy);
    this.#members[row.rank] = copy;
  }

  deleteMember(row: MemberRow): void {
    this.#byIncarnation.delete(row.incarnation);
    // The last one moves into the vacant rank, if it is not the last itself.
    this.#members.length = this.#byIncarnation.size;
  }

  holderOf(id: string): MemberRow | undefined {
    const row = this.#members.find((member) => member.id === id && member.standing === "holder");
    return row && { ...row };
  }

  memberAtRank(rank: number): MemberRow | undefined {
    const row = this.#members[rank];
    return row && { ...row };
  }

  /**
   * Those given as stale that have not come back to life. Silence is judged by the observer, not by the times in the
   * rows.
   */
  expired(): readonly MemberRow[] {
    return [...this.#stale].flatMap(([incarnation, seq]) => {
      const row = this.member(incarnation);
      return row && row.seq <= seq ? row : [];
    });
  }

  smallestMax(): number | undefined {
    return smallestMaxOf(this.#members);
  }

  hasStored(): boolean {
    return this.#members.some(({ max }) => max === null);
  }

  limit(): LimitRecordHead | undefined {
    return this.#limit && limitHead(this.#limit, this.#group?.stored?.revision);
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.#members);
  }

  count(): MemberCount {
    return countOf(this.#members);
  }

  members(): readonly MemberRow[] {
    return this.#members.map((row) => ({ ...row }));
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    for (const [other, remembered] of this.#levels) if (remembered.untilMs <= nowMs) this.#levels.delete(other);
    this.#levels.set(id, { id, level, untilMs });
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.#levels.get(id);
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }

  #snapshot(): Snapshot {
    return { group: this.#group, members: [...this.#members], levels: [...this.#levels.values()] };
  }

  #parse(text: string, where: string): void {
    const stored = parseStored(text, where);
    const { v: tag, birth, group, members, levels } = stored;
    checkTag(tag, where);
    if (!Array.isArray(members) || !Array.isArray(levels))
      throw new DamagedData(where, "a ledger without members or levels");
    if (typeof birth !== "string" || birth === "") throw new DamagedData(where, "a ledger without a birth");
    this.#birth = birth;
    this.#group = decodeGroup(group, where);
    const rows = members.map((row) => decodeMember(row, where));
    for (const fault of auditLedger(this.#group, rows)) throw new DamagedData(where, `a ledger in which ${fault}`);
    for (const row of rows) this.putMember(row);
    for (const entry of levels) {
      const level = checkList(LEVEL, entry, where);
      this.#levels.set(level.id, level);
    }
  }
}

/** Whether two rows say the same. One that nobody replaced does, and is not even looked at. */
function same<T>(before: T | undefined, now: T | undefined, essence: (row: T) => string): boolean {
  if (before === now) return true;
  return before !== undefined && now !== undefined && essence(before) === essence(now);
}

/** As {@link same}, for rows in order. */
function sameList<T>(before: readonly T[], now: readonly T[], essence: (row: T) => string): boolean {
  return before.length === now.length && now.every((row, index) => same(before[index], row, essence));
}

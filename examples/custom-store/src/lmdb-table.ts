import {
  countOf,
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type LimitRecordHead,
  type MemberCount,
  type MemberRow,
  PRUNE_LIMIT,
} from "@dt/core/ledger";
import type { RootDatabase } from "lmdb";
import { LmdbLimits } from "./lmdb-limits.ts";
import { noteName, short } from "./lmdb-names.ts";

type Key = (string | number)[];

/**
 * One group's rows as LMDB entries, inside one write transaction. LMDB keeps keys in order, so what the ledger looks up
 * besides rows (the expired, the smallest limit, who has a stored one, a rank, a holder) are entries of their own, kept
 * in step by `putMember` and `deleteMember`.
 */
export class LmdbTable implements LedgerTable {
  readonly #db: RootDatabase;
  readonly #name: string;
  readonly #group: string;

  constructor(db: RootDatabase, group: string) {
    this.#db = db;
    this.#name = group;
    this.#group = short(group);
  }

  group(): GroupRow | undefined {
    return this.#get<GroupRow>("group");
  }

  putGroup(row: GroupRow): void {
    this.#put(row, "group");
    noteName(this.#db, "group", this.#name);
  }

  member(incarnation: string): MemberRow | undefined {
    return this.#get<MemberRow>("member", short(incarnation));
  }

  putMember(row: MemberRow): void {
    const before = this.member(row.incarnation);
    const name = short(row.incarnation);
    if (before) this.#removeIndexes(before);
    this.#put(row, "member", name);
    this.#put(name, "rank", row.rank);
    this.#put(name, "expiry", row.expiresAtMs, name);
    if (row.max === null) this.#put(name, "stored", name);
    else this.#put(name, "max", row.max, name);
    if (row.standing === "holder") this.#put(name, "holder", short(row.id));
  }

  deleteMember(row: MemberRow): void {
    this.#removeIndexes(this.member(row.incarnation) ?? row);
    this.#remove("member", short(row.incarnation));
  }

  holderOf(id: string): MemberRow | undefined {
    return this.#memberNamed(this.#get<string>("holder", short(id)));
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.#memberNamed(this.#get<string>("rank", rank));
  }

  expired(livenessMs: number): readonly MemberRow[] {
    return this.#range<string>(["expiry"], ["expiry", livenessMs, "\uffff"], PRUNE_LIMIT).map(
      (name) => this.#memberNamed(name) as MemberRow,
    );
  }

  smallestMax(): number | undefined {
    const [name] = this.#range<string>(["max"], ["max\0"], 1);
    return this.#memberNamed(name)?.max ?? undefined;
  }

  hasStored(): boolean {
    return this.#range(["stored"], ["stored\0"], 1).length > 0;
  }

  limit(): LimitRecordHead | undefined {
    return new LmdbLimits(this.#db).limit({ kind: "group", name: this.#name });
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.members());
  }

  count(): MemberCount {
    return countOf(this.members());
  }

  members(): readonly MemberRow[] {
    return this.#range<string>(["rank"], ["rank\0"]).map((name) => this.#memberNamed(name) as MemberRow);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    for (const { key, value } of this.#db.getRange({ start: [this.#group, "level"], end: [this.#group, "level\0"] }))
      if ((value as { untilMs: number }).untilMs <= nowMs) this.#db.removeSync(key);
    this.#put({ level, untilMs }, "level", short(id));
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.#get<{ level: number; untilMs: number }>("level", short(id));
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }

  /** Takes out what points to a row as it was; a rank or an id may belong to somebody else by now. */
  #removeIndexes(row: MemberRow): void {
    const name = short(row.incarnation);
    if (this.#get("rank", row.rank) === name) this.#remove("rank", row.rank);
    if (this.#get("holder", short(row.id)) === name) this.#remove("holder", short(row.id));
    this.#remove("expiry", row.expiresAtMs, name);
    if (row.max === null) this.#remove("stored", name);
    else this.#remove("max", row.max, name);
  }

  #memberNamed(name: string | undefined): MemberRow | undefined {
    return name === undefined ? undefined : this.#get<MemberRow>("member", name);
  }

  #get<T>(...key: Key): T | undefined {
    return this.#db.get([this.#group, ...key]) as T | undefined;
  }

  #put(value: unknown, ...key: Key): void {
    this.#db.putSync([this.#group, ...key], value);
  }

  #remove(...key: Key): void {
    this.#db.removeSync([this.#group, ...key]);
  }

  #range<T>(start: Key, end: Key, limit?: number): T[] {
    const range = this.#db.getRange({
      start: [this.#group, ...start],
      end: [this.#group, ...end],
      ...(limit === undefined ? {} : { limit }),
    });
    return [...range].map(({ value }) => value as T);
  }
}

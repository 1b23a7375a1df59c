import {
  type FreedInstant,
  type LimitRecordHead,
  lastInstantOf,
  latestInstant,
  type PermitCounts,
  type PermitEntry,
  type PermitRow,
} from "@dt/core/ledger";
import type { KeyTable } from "@dt/core/store";
import type { RootDatabase } from "lmdb";
import { LmdbLimits } from "./lmdb-limits.ts";
import { noteName, short } from "./lmdb-names.ts";

type Key = (string | number)[];
type Place = readonly [id: string, untilMs: number];

/**
 * One key's permits as LMDB entries, inside one write transaction: a row, the reservations by id and in order of when
 * they may be forgotten, and two short lists, what was given back and who waits. No group's name hashes to "permits",
 * so that keys and groups do not meet.
 */
export class LmdbPermitTable implements KeyTable {
  readonly #db: RootDatabase;
  readonly #name: string;
  readonly #key: Key;

  constructor(db: RootDatabase, key: string) {
    this.#db = db;
    this.#name = key;
    this.#key = ["permits", short(key)];
  }

  row(): PermitRow | undefined {
    return this.#get("row");
  }

  putRow(row: PermitRow): void {
    this.#put(row, "row");
    noteName(this.#db, "permits", this.#name);
  }

  entry(id: string): PermitEntry | undefined {
    return this.#get("entry", short(id));
  }

  putEntry(entry: PermitEntry): void {
    this.#put(entry, "entry", short(entry.id));
    this.#put(short(entry.id), "forget", entry.forgetAtMs, short(entry.id));
  }

  forgetEntries(nowMs: number): void {
    const range = { start: [...this.#key, "forget"], end: [...this.#key, "forget", nowMs, "\uffff"] };
    for (const { key, value } of [...this.#db.getRange(range)]) {
      this.#db.removeSync([...this.#key, "entry", value as string]);
      this.#db.removeSync(key);
    }
  }

  takeFreed(fromMs: number, widthMs: number): FreedInstant | undefined {
    const freed = this.#freed().filter(({ atMs }) => atMs >= fromMs);
    const taken = freed.find((instant) => instant.widthMs >= widthMs);
    this.#put(
      freed.filter((instant) => instant !== taken),
      "freed",
    );
    return taken;
  }

  addFreed(instant: FreedInstant): void {
    const freed = [...this.#freed(), instant];
    this.#put(
      freed.sort((a, b) => a.atMs - b.atMs),
      "freed",
    );
  }

  aheadInQueue(id: string, nowMs: number): number {
    const line = this.#line();
    const place = line.findIndex(([other]) => other === id);
    const ahead = line.slice(0, place < 0 ? line.length : place).filter(([, untilMs]) => untilMs > nowMs);
    if (place < 0 && ahead.length < line.length) this.#put(ahead, "line");
    return ahead.length;
  }

  enqueue(id: string, untilMs: number): void {
    const line = this.#line();
    const place = line.findIndex(([other]) => other === id);
    this.#put(place < 0 ? [...line, [id, untilMs]] : line.with(place, [id, untilMs]), "line");
  }

  limit(): LimitRecordHead | undefined {
    return new LmdbLimits(this.#db).limit({ kind: "permits", name: this.#name });
  }

  leaveQueue(id: string): void {
    const line = this.#line();
    const left = line.filter(([other]) => other !== id);
    if (left.length < line.length) this.#put(left, "line");
  }

  forgetAfter(untilMs: number): FreedInstant | undefined {
    this.#put([], "line");
    this.#put([], "freed");
    const entries = this.#entries().filter(({ granted }) => granted > 0);
    for (const entry of entries) if (lastInstantOf(entry) > untilMs) this.#forget(entry);
    return latestInstant(entries.filter((entry) => lastInstantOf(entry) <= untilMs));
  }

  count(nowMs: number, fromMs: number): PermitCounts {
    const known = { start: [...this.#key, "forget", nowMs, "\uffff"], end: [...this.#key, "forget\0"] };
    return {
      known: this.#db.getKeysCount(known),
      freed: this.#freed().filter(({ atMs }) => atMs >= fromMs).length,
      waiting: this.#line().filter(([, untilMs]) => untilMs > nowMs).length,
    };
  }

  #entries(): PermitEntry[] {
    const all = this.#db.getRange({ start: [...this.#key, "entry"], end: [...this.#key, "entry\0"] });
    return [...all].map(({ value }) => value as PermitEntry);
  }

  #forget({ id, forgetAtMs }: PermitEntry): void {
    this.#db.removeSync([...this.#key, "entry", short(id)]);
    this.#db.removeSync([...this.#key, "forget", forgetAtMs, short(id)]);
  }

  #freed(): readonly FreedInstant[] {
    return this.#get<FreedInstant[]>("freed") ?? [];
  }

  #line(): readonly Place[] {
    return this.#get<Place[]>("line") ?? [];
  }

  #get<T>(...name: Key): T | undefined {
    return this.#db.get([...this.#key, ...name]) as T | undefined;
  }

  #put(value: unknown, ...name: Key): void {
    this.#db.putSync([...this.#key, ...name], value);
  }
}

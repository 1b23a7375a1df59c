import { DamagedData, DocumentTable, type Head, type HybridClock, rebornGroup, type StoredHead } from "@dt/cas";
import { isDtError } from "@dt/core";
import type { Item } from "./driver.ts";
import type { GroupItems, HeadRevision, StoredLedger } from "./group-items.ts";

/** What mending works with. */
export interface MendContext {
  readonly items: GroupItems;
  readonly clock: HybridClock;
  /** A text that no other write will ever bear. */
  readonly nextWriter: () => string;
}

/** A group's items as they were found. */
export interface Found {
  readonly rawLedger: Item | undefined;
  readonly rawHead: Item | undefined;
  /** Undefined where it is missing or damaged. */
  readonly ledger: StoredLedger | undefined;
  readonly head: StoredHead<HeadRevision> | undefined;
  /** The ledger, read; as it was read, and without members' signs of life. */
  readonly table: DocumentTable | undefined;
  /** What is wrong, each a sentence. Nothing in a group that is sound, or does not exist. */
  readonly faults: readonly string[];
}

/**
 * Reads the ledger and the head of a group, and looks whether they are sound and belong together. Where there is no
 * ledger, heartbeats are looked for, too: those that name the group's time are of members of a ledger that is gone.
 *
 * Both are read at the same time, and may then be of two instants; so what does not fit together is read again, the
 * head first: it is written after its ledger.
 * @param forReset the group is forgotten anyway: what is of a newer version is a fault like others
 * @throws DtError `DT_STORE_DATA` when one of them is of a newer version
 */
export async function findGroup(items: GroupItems, forReset = false): Promise<Found> {
  const [rawLedger, rawHead] = await Promise.all([items.readRawLedger(), items.readRawHead()]);
  const found = judge(items, rawLedger, rawHead, forReset);
  const isLeft = !rawLedger && !rawHead && (await items.listBeats()).some(({ timeMs }) => timeMs > 0);
  if (found.faults.length === 0 && !isLeft) return found;
  const headBefore = await items.readRawHead();
  const again = judge(items, await items.readRawLedger(), headBefore, forReset);
  return isLeft && !again.rawLedger ? { ...again, faults: [missing(items)] } : again;
}

/**
 * Begins a group's ledger again: of a higher generation, without members, and learning for as long as shares of the old
 * one may be in use. The head, if there is one, goes first, since nobody may go on with an answer of the old ledger
 * once the new one is there; whoever finds a head that has gone ahead brings its ledger. Nothing when somebody else was
 * faster.
 */
export async function beginAgain({ items, clock, nextWriter }: MendContext, found: Found): Promise<void> {
  const beats = await items.listBeats();
  for (const { timeMs } of beats) if (timeMs > 0) clock.observe(timeMs);
  if (found.head) clock.observe(found.head.head.timeMs);
  const { rawHead, rawLedger, head, table } = found;
  const row = table?.group();
  if (row) clock.observe(row.lastMs);
  const staleAges = [head?.head, ...beats].map((one) => one?.staleAfterMs ?? 0);
  const staleAfterMs = Math.max(row?.longestStaleMs ?? 0, ...staleAges);
  const generation = Math.max(row?.generation ?? 0, head?.head.generation ?? 0);
  const intervalMs = head?.head.intervalMs ?? row?.intervalMs ?? 0;
  const reborn = rebornGroup({ generation, intervalMs, staleAfterMs }, clock.now());
  let { birth, version } = { birth: nextWriter(), version: Math.floor(reborn.lastMs) };
  if (head && isAhead(head.head, table)) {
    birth = head.head.birth;
    version = head.revision.version;
  } else if (rawHead) {
    // Later than any that was lost, as the generation is.
    version = Math.max(version, numberIn(rawLedger, "version") + 1, numberIn(rawHead, "version") + 1);
    const { quietLimitMs, lastMs: timeMs } = reborn;
    const silent = {
      birth,
      agreed: false,
      memberCount: 0,
      timeMs,
      keeper: "",
      keptMs: 0,
      pausedUntilMs: 0,
      quietLimitMs,
    };
    const next = { ...silent, generation: reborn.generation, intervalMs, staleAfterMs };
    if (!(await items.overwriteHead(next, version, rawHead))) return;
  }
  const ledger = new DocumentTable(undefined, items.ledgerName, { newBirth: birth });
  ledger.putGroup(reborn);
  const text = ledger.encode();
  await items.replaceLedger({ text, version: version + 1, writer: nextWriter() }, rawLedger, staleAfterMs);
}

/** A head that is damaged is told by the ledger, which is sound: nobody has agreed until somebody has looked. */
export async function replaceHead({ items, clock }: MendContext, { rawHead, ledger, table }: Found): Promise<void> {
  const row = table?.group();
  if (!row || !ledger) return;
  clock.observe(row.lastMs);
  const { generation, memberCount, intervalMs, quietLimitMs, pausedUntilMs } = row;
  const { longestStaleMs: staleAfterMs } = row;
  const { birth } = table as DocumentTable;
  const head = { birth, generation, agreed: false, memberCount, timeMs: clock.now(), keeper: "", keptMs: 0 };
  const next = { ...head, intervalMs, quietLimitMs, staleAfterMs, pausedUntilMs };
  await items.overwriteHead(next, ledger.version, rawHead);
}

/** True when somebody has begun the group again and has written its head, and not its ledger yet. */
function isAhead({ birth, agreed, memberCount, keeper }: Head, table: DocumentTable | undefined): boolean {
  return !agreed && memberCount === 0 && keeper === "" && birth !== table?.birth;
}

function judge(items: GroupItems, rawLedger: Item | undefined, rawHead: Item | undefined, forReset: boolean): Found {
  const faults: string[] = [];
  const sound = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (error instanceof DamagedData) faults.push(error.finding);
      else if (forReset && isDtError(error, "DT_STORE_DATA")) faults.push(error.message);
      else throw error;
      return undefined;
    }
  };
  const ledger = rawLedger && sound(() => items.toLedger(rawLedger));
  const table = ledger && sound(() => new DocumentTable(ledger.text, items.ledgerName));
  const head = rawHead && sound(() => items.toHead(rawHead));
  if (!rawLedger && rawHead) faults.push(missing(items));
  if (table && ledger && head && (head.head.birth !== table.birth || head.revision.version > ledger.version))
    faults.push(`${items.ledgerName} is not the ledger that the group's head was written for`);
  return { rawLedger, rawHead, ledger: table && ledger, head, table, faults };
}

function missing(items: GroupItems): string {
  return `${items.ledgerName} is missing, and something of its group is there`;
}

function numberIn(item: Item | undefined, name: string): number {
  const value = item?.[name];
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

import {
  type CellGroup,
  DamagedData,
  type DocumentCell,
  DocumentTable,
  HybridClock,
  isLimitCurrent,
  type LedgerCall,
  LedgerWriter,
  MemberMemory,
  type ReadLimit,
  readLimitCell,
  TimeKeeper,
} from "@dt/cas";
import type { Farewell, GroupSnapshot, MemberRef, Registration, RepairReport, Report, Runtime, View } from "@dt/core";
import { inspect } from "@dt/core/ledger";
import { DocumentBatch, type DocumentResult, type GroupState, type StaleMember } from "./document-batch.ts";
import type { Driver } from "./driver.ts";
import { type Beat, GroupItems, type HeadRevision } from "./group-items.ts";
import { DynamoDbHeadStore } from "./head-store.ts";
import type { GroupKeys } from "./keys.ts";
import { repairGroup } from "./repair.ts";
import type { MendContext } from "./repair-items.ts";
import { Sweeper } from "./sweeper.ts";

/**
 * Calls in one write of the ledger; and calls and removals together, each of which has an item of its own to delete.
 */
const MOST_CALLS = 64;
const MOST_CHANGES = MOST_CALLS + 25;

/** What a session works with. */
export interface SessionContext {
  readonly driver: Driver;
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** Tells this client from all others. */
  readonly client: string;
}

/** One group in the table as this client takes part in it. */
export class GroupSession implements CellGroup {
  readonly clock: HybridClock;
  readonly #items: GroupItems;
  readonly #readLimit: () => Promise<ReadLimit | undefined>;
  readonly #mending: MendContext;
  readonly #time: TimeKeeper<HeadRevision>;
  readonly #sweeper: Sweeper;
  readonly #writer: LedgerWriter<GroupState, DocumentResult, StaleMember>;
  readonly #members = new Map<string, MemberMemory>();

  /** @param limit where the group's limit record is kept */
  constructor(keys: GroupKeys, limit: DocumentCell, { driver, runtime, timeoutMs, client }: SessionContext) {
    const items = new GroupItems(driver, keys);
    const clock = new HybridClock(runtime);
    const time = new TimeKeeper(new DynamoDbHeadStore(items), clock, client);
    const sweeper = new Sweeper(items, clock, runtime);
    let writes = 0;
    const nextWriter = (): string => `${client} ${++writes}`;
    const readLimit = (): Promise<ReadLimit | undefined> => readLimitCell(limit, runtime);
    const context = { items, clock, time, nextWriter, readLimit, onLedger: sweeper.know.bind(sweeper) };
    this.clock = clock;
    this.#readLimit = readLimit;
    this.#items = items;
    this.#mending = context;
    this.#time = time;
    this.#sweeper = sweeper;
    this.#writer = new LedgerWriter({
      ...{ runtime, clock, timeoutMs, mostCalls: MOST_CALLS, mostChanges: MOST_CHANGES },
      begin: (calls, stale) => new DocumentBatch(context, calls, stale),
    });
  }

  get isIdle(): boolean {
    return this.#members.size === 0;
  }

  async register(request: Registration, over: AbortSignal): Promise<View> {
    const { incarnation, seq, staleAfterMs } = request;
    const memory = this.#members.get(incarnation) ?? new MemberMemory(staleAfterMs);
    this.#members.set(incarnation, memory);
    const isOld = memory.overtakes(seq);
    // A heartbeat must not name a time that is not the group's.
    if (!this.clock.known) await this.#time.read();
    const overtaken = isOld || (await this.#items.begin(this.#beat(request, request))) === "overtaken";
    try {
      return (await this.#write(
        { kind: "register", ref: request, request, overtaken, record: "news" },
        [],
        over,
      )) as View;
    } finally {
      // Refused: nobody is to be kept alive.
      if (!this.#members.has(incarnation)) this.#items.forget(incarnation, seq).catch(() => false);
    }
  }

  async sync(ref: MemberRef, request: Report, over: AbortSignal): Promise<View> {
    const { incarnation } = ref;
    const { seq } = request;
    const memory = this.#members.get(incarnation);
    const isOld = memory?.overtakes(seq) ?? false;
    const [beat, head, stale, limit] = await Promise.all([
      // A fenced member's requests do not keep it alive.
      isOld || memory?.isFenced ? "overtaken" : this.#items.beat(this.#beat(ref, request)),
      this.#time.read(),
      this.#sweep(),
      request.stored ? this.#readLimit() : undefined,
    ]);
    const isCurrent = !request.stored || isLimitCurrent(limit, memory?.copied);
    const forItsLevel = memory?.isLevelDue(request, this.clock.now()) ?? false;
    const isBehind = head !== undefined && this.#sweeper.isAheadOf(head, this.#time.revision?.version ?? 0);
    if (memory && beat === "alive" && head && stale?.length === 0 && !forItsLevel && !isBehind && isCurrent) {
      const again = memory.repeat(request, head, this.clock.now());
      if (again) return again;
    }
    const returns = beat === "gone" || beat === "missing";
    const record = returns || !isCurrent ? "needed" : forItsLevel ? "wanted" : "news";
    const overtaken = beat === "overtaken";
    const view = await this.#write({ kind: "sync", ref, request, overtaken, record }, stale ?? [], over);
    if (returns && this.#members.has(incarnation)) await this.#items.begin(this.#beat(ref, request));
    return view as View;
  }

  async deregister(ref: MemberRef, request: Farewell, over: AbortSignal): Promise<void> {
    this.#members.delete(ref.incarnation);
    await this.#write({ kind: "deregister", ref, request, overtaken: false, record: "news" }, [], over);
    // If this fails, the keeper finds what is left behind.
    await this.#items.forget(ref.incarnation, undefined).catch(() => false);
  }

  /** Mends the group, or begins it again: see {@link repairGroup}. */
  repair(reset: boolean): Promise<RepairReport> {
    return repairGroup(this.#mending, reset);
  }

  /** The ledger as data, in three requests of O(members). */
  async inspect(group: string): Promise<GroupSnapshot> {
    const [ledger, , beats] = await Promise.all([
      this.#items.readLedger(),
      this.#items.readHead().then((head) => this.#time.take(head)),
      this.#items.listBeats(),
    ]);
    const heardMs = this.#time.head?.timeMs ?? 0;
    const table = new DocumentTable(ledger?.text, this.#items.ledgerName, { heardMs });
    const row = table.group();
    if (row) this.clock.observe(row.lastMs);
    const nowMs = this.clock.now();
    const snapshot = inspect(table, group, nowMs);
    // The times in the rows are those of recorded reports; a mere heartbeat has an item of its own, which also says
    // what the member does (R27).
    const last = new Map(beats.map((beat) => [beat.incarnation, beat]));
    const members = snapshot.members.map((member) => {
      const { timeMs: beatMs = 0, activity = null } = last.get(member.incarnation) ?? {};
      return {
        ...member,
        ...activity,
        silentMs: Math.max(0, Math.min(member.silentMs, beatMs > 0 ? nowMs - beatMs : member.silentMs)),
      };
    });
    return { ...snapshot, members };
  }

  /** A heartbeat with the group's time, 0 while it is not known. */
  #beat({ incarnation }: MemberRef, { seq, activity }: Pick<Report, "seq" | "activity">): Omit<Beat, "gone"> {
    const staleAfterMs = this.#members.get(incarnation)?.staleAfterMs ?? 0;
    const timeMs = this.clock.known ? this.clock.now() : 0;
    return { incarnation, seq, timeMs, staleAfterMs, activity: activity ?? null };
  }

  /** Undefined when the ledger turns out to be damaged: whoever asks must write, which mends it. */
  async #sweep(): Promise<readonly StaleMember[] | undefined> {
    const { head, revision, isKeeper } = this.#time;
    if (!head || !revision || !isKeeper || !this.#sweeper.isDue(head)) return [];
    try {
      return await this.#sweeper.sweep(head, revision.version);
    } catch (error) {
      if (error instanceof DamagedData) return undefined;
      throw error;
    }
  }

  async #write(call: LedgerCall, stale: readonly StaleMember[], over: AbortSignal): Promise<View | undefined> {
    const { ref, kind, record } = call;
    const { outcome, table, recorded } = await this.#writer.write(call, stale, () => over.aborted);
    const [group, member] = [table.group(), table.member(ref.incarnation)];
    if (!member) this.#members.delete(ref.incarnation);
    else if (kind !== "deregister" && group && "view" in outcome && outcome.view) {
      let memory = this.#members.get(ref.incarnation);
      if (!memory) {
        // It registered through another client.
        memory = new MemberMemory(member.staleAfterMs);
        memory.recall(member);
        this.#members.set(ref.incarnation, memory);
      }
      memory.remember({ view: outcome.view, birth: table.birth, group, member }, recorded, record === "wanted");
    }
    if ("error" in outcome) throw outcome.error;
    return outcome.view;
  }
}

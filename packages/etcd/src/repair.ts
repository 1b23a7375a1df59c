import { type HybridClock, rebornGroup } from "@dt/cas";
import { DtError, type RepairReport, type Runtime } from "@dt/core";
import { type Audit, auditGroup } from "./audit.ts";
import { ABSENT, type Driver, type Entries } from "./driver.ts";
import { encodeHead } from "./head.ts";
import type { GroupKeys } from "./keys.ts";
import { encodeLevels, encodeStoredGroup } from "./stored.ts";
import { lastingMs, leaseFor } from "./vacancy.ts";

/** How often a group is mended before it is given up: each time, somebody else has been at it. */
const ATTEMPTS = 5;

/** What a {@link GroupRepair} works with. */
export interface RepairContext {
  readonly driver: Driver;
  readonly keys: GroupKeys;
  readonly clock: HybridClock;
  readonly runtime: Runtime;
  /** A text that no other ledger bears. */
  readonly nextBirth: () => string;
  /** How long the keys of an empty group are kept after nothing in them counts any more. */
  readonly keepEmptyMs: number;
}

/**
 * Looks through all keys of a group and, where they do not make up one ledger, begins it again: without members, of a
 * higher generation, and learning for as long as shares of the old one may be in use, so that survivors claim first.
 * All in one transaction: nobody ever sees half of it.
 */
export class GroupRepair {
  readonly #context: RepairContext;
  #isDoubted = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #sawNothing = false;

  constructor(context: RepairContext) {
    this.#context = context;
  }

  /** True once something was found that does not belong in a ledger, until the group was looked through. */
  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  /** True when the group was looked through and nothing of it is there: it may begin as a new one. */
  get sawNothing(): boolean {
    return this.#sawNothing;
  }

  doubt(): void {
    this.#isDoubted = true;
  }

  /** The group is there: should it be missing later, it must be looked for anew. */
  sawGroup(): void {
    this.#sawNothing = false;
  }

  /** True when the group was not looked through for so long. */
  isDue(afterMs: number): boolean {
    return this.#isDoubted || this.#context.runtime.now() - this.#lookedAtMs >= afterMs;
  }

  /** Looks the group through and mends it. True when something had to be done. One request where all is well. */
  async mend(): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { entries, audit } = await this.#look();
      this.#isDoubted = audit.faults.length > 0;
      if (!this.#isDoubted) return attempt > 0;
      await this.#beginAgain(entries, audit);
    }
    throw new DtError(
      "DT_STORE_UNAVAILABLE",
      "the group is damaged, and others changed it again and again while it was mended",
    );
  }

  /** The same with a report; with `reset` the group begins again whatever it is like. */
  async repair(reset: boolean): Promise<RepairReport> {
    const first = await this.#look(reset);
    for (let attempt = 0, isDone = !reset; !isDone; attempt++) {
      if (attempt === ATTEMPTS)
        throw new DtError("DT_STORE_UNAVAILABLE", "others changed the group again and again; nothing was reset");
      const { entries, audit } = attempt === 0 ? first : await this.#look(reset);
      isDone = await this.#beginAgain(entries, audit);
    }
    await this.mend();
    const { audit } = await this.#look();
    return {
      found: first.audit.faults,
      members: audit.members.length,
      reset: audit.group !== undefined && audit.group.birth !== first.audit.group?.birth,
    };
  }

  async #look(forReset = false): Promise<{ entries: Entries; audit: Audit }> {
    const { driver, keys, runtime } = this.#context;
    const lookedAtMs = runtime.now();
    const [found = []] = await driver.list([{ prefix: keys.all, keysOnly: false }]);
    const entries = new Map(found.map((entry) => [entry.key, entry]));
    const audit = auditGroup(keys, entries, forReset);
    this.#lookedAtMs = lookedAtMs;
    this.#sawNothing = entries.size === 0 || (entries.size === 1 && entries.has(keys.levels));
    return { entries, audit };
  }

  async #beginAgain(entries: Entries, { group, head, members, levels }: Audit): Promise<boolean> {
    const { driver, keys, clock, nextBirth, keepEmptyMs } = this.#context;
    for (const timeMs of [head?.timeMs, group?.row.lastMs]) if (timeMs !== undefined) clock.observe(timeMs);
    const staleAges = [head, ...members.map(({ row }) => row)].map((one) => one?.staleAfterMs ?? 0);
    const remains = {
      generation: Math.max(group?.row.generation ?? 0, head?.generation ?? 0),
      intervalMs: head?.intervalMs ?? group?.row.intervalMs ?? 0,
      staleAfterMs: Math.max(group?.row.longestStaleMs ?? 0, ...staleAges),
    };
    const row = rebornGroup(remains, clock.now());
    const { staleAfterMs } = remains;
    const { generation, intervalMs, quietLimitMs, lastMs: timeMs } = row;
    const birth = nextBirth();
    const remembered = { longestStaleMs: staleAfterMs, levels: levels ?? new Map(), nowMs: timeMs, keepEmptyMs };
    const lease = await leaseFor(driver, { had: group?.lease, lastsMs: lastingMs(remembered) });
    const silent = { birth, agreed: false, memberCount: 0, timeMs, keeper: "", keptMs: 0, pausedUntilMs: 0 };
    const { done } = await driver.commit({
      unchanged: new Map([keys.group, keys.head].map((key) => [key, entries.get(key)?.revision ?? ABSENT])),
      puts: [
        { key: keys.group, value: encodeStoredGroup({ birth, row, limits: new Map(), lease }), lease: lease.id },
        {
          key: keys.head,
          value: encodeHead({ ...silent, generation, intervalMs, quietLimitMs, staleAfterMs }),
          lease: lease.id,
        },
        ...(levels ? [{ key: keys.levels, value: encodeLevels(levels), lease: lease.id }] : []),
      ],
      deletes: levels ? [] : [keys.levels],
      deletesUnder: keys.parts,
      otherwise: [keys.group],
    });
    return done;
  }
}

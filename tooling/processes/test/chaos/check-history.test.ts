import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkHistory, type HistoryFacts } from "../../src/chaos/history/check-history.ts";
import type { BootLog, Entry } from "../../src/chaos/history/entry.ts";
import { parseLog, readLogs } from "../../src/chaos/history/read-logs.ts";

type Grant = Entry & { type: "grant" };

/** Logs of a real run on Redis: three workers, a killed server, a pause, a kill, a slow link. */
const folder = join(import.meta.dirname, "recorded");
let facts: HistoryFacts;
let recorded: BootLog[];

beforeAll(async () => {
  facts = JSON.parse(await readFile(join(folder, "facts.json"), "utf8"));
  recorded = await readLogs(folder);
});

/** The recorded logs with one of them changed; its lines are numbered anew, so that only what they say is wrong. */
function forged(boot: number, change: (entries: Entry[]) => Entry[]): BootLog[] {
  return recorded.map((log, index) => {
    if (index !== boot) return log;
    return { ...log, entries: change([...log.entries]).map((entry, at) => ({ ...entry, n: at + 1 })) };
  });
}

const rulesOf = (logs: readonly BootLog[], given: Partial<HistoryFacts> = {}): string[] =>
  [...new Set(checkHistory(logs, { ...facts, ...given }).violations.map(({ rule }) => rule))].sort();

const isGrant = (entry: Entry): entry is Grant => entry.type === "grant";

/** Epochs of which all tokens were granted. */
function fullEpochs(): Set<number> {
  const { epochs } = checkHistory(recorded, facts);
  return new Set(epochs.filter(({ tokens, limit }) => tokens === limit).map(({ epoch }) => epoch));
}

/** Puts a copy of the log's last grant in a full epoch behind it, changed. */
const afterLastGrant = (change: (grant: Grant) => Entry) => (entries: Entry[]) => {
  const full = fullEpochs();
  const at = entries.findLastIndex((entry) => isGrant(entry) && full.has(entry.epoch));
  return [...entries.slice(0, at + 1), change(entries[at] as Grant), ...entries.slice(at + 1)];
};

test("the recorded history has no violation, and uses whole epochs", () => {
  const findings = checkHistory(recorded, facts);
  expect(findings.violations).toEqual([]);
  expect(findings).toMatchObject({ tokens: 2_052, worstEpoch: 101, worstRatio: 1 });
  expect(findings.epochs.length).toBe(23);
});

describe("a forged violation is caught", () => {
  test("one token more than an epoch has", () => {
    const one = forged(
      0,
      afterLastGrant((grant) => ({ ...grant, tokens: 1 })),
    );
    expect(rulesOf(one)).toContain("epoch-sum");
  });

  test("one token more in any full epoch, by any worker", () => {
    const full = fullEpochs();
    let tried = 0;
    for (const [boot, { entries }] of recorded.entries())
      for (const [at, entry] of entries.entries()) {
        if (!isGrant(entry) || !full.has(entry.epoch)) continue;
        const extra = forged(boot, (all) => all.with(at, { ...entry, tokens: entry.tokens + 1 }));
        expect(rulesOf(extra)).toContain("epoch-sum");
        tried += 1;
      }
    expect(tried).toBeGreaterThan(20);
  });

  test("a call that the store refuses for what is in it", () => {
    const refused = forged(0, (entries) => [
      ...entries,
      { n: 0, type: "failed", sentMs: 1, atMs: 2, operation: "deregister", code: "DT_INVALID_OPTION" },
    ]);
    expect(rulesOf(refused)).toEqual(["refused"]);
  });

  test("a share that is granted at once where it was to be released evenly", () => {
    const even = recorded.map((_, boot) =>
      forged(boot, (entries) =>
        entries.map((entry) => (entry.type === "boot" ? { ...entry, release: "even" } : entry)),
      ),
    );
    for (const logs of even) expect(rulesOf(logs)).toEqual(["uneven"]);
  });

  test("an epoch that comes twice, under the same number", () => {
    const doubled = forged(
      1,
      afterLastGrant((grant) => grant),
    );
    expect(rulesOf(doubled)).toEqual(expect.arrayContaining(["epoch-sum", "raise-too-early"]));
  });

  test("an epoch that comes again after the next one", () => {
    const again = forged(0, (entries) => {
      const grants = entries.filter(isGrant);
      return [...entries, { ...(grants.at(-1) as Grant), epoch: (grants.at(-2) as Grant).epoch }];
    });
    expect(rulesOf(again)).toContain("epoch-back");
  });

  test("an epoch that has not come yet", () => {
    const early = forged(
      0,
      afterLastGrant((grant) => ({ ...grant, epoch: grant.epoch + 2 })),
    );
    expect(rulesOf(early)).toContain("epoch-label");
  });

  test("epochs that every worker numbers for itself", () => {
    const own = recorded.map((log, boot) => ({
      ...log,
      entries: log.entries.map((entry) => (isGrant(entry) ? { ...entry, epoch: entry.epoch + 1_000 * boot } : entry)),
    }));
    expect(rulesOf(own)).toContain("epoch-label");
  });

  test("a grant past the validity", () => {
    const { validityMs } = facts.timings;
    const late = forged(0, (entries) => {
      const grant = entries.findLast(isGrant) as Grant;
      const sentMs = Math.max(...entries.map((entry) => (entry.type === "answer" ? entry.sentMs : 0)));
      return [...entries, { ...grant, atMs: sentMs + validityMs + 1, epoch: grant.epoch + 3, tokens: 1 }];
    });
    expect(rulesOf(late)).toContain("validity");
  });

  test("a grant whose answers are taken away", () => {
    const unanswered = forged(2, (entries) => entries.filter(({ type }) => type !== "answer"));
    expect(rulesOf(unanswered)).toEqual(expect.arrayContaining(["validity", "raise-too-early"]));
  });

  test("a grant after leaving", () => {
    const after = forged(0, (entries) => [...entries, { ...(entries.find(isGrant) as Grant) }]);
    expect(rulesOf(after)).toContain("granted-after-end");
  });

  test("a raise that is used an epoch too early", () => {
    const soon = forged(0, (entries) => {
      const at = entries.findIndex(isGrant);
      const grant = entries[at] as Grant;
      return entries.toSpliced(at, 0, { ...grant, epoch: grant.epoch - 1 });
    });
    expect(rulesOf(soon)).toContain("raise-too-early");
  });

  test("tokens faster than epochs pass, whatever their numbers", () => {
    const fast = recorded.map((log) => ({
      ...log,
      entries: log.entries.map((entry) => (isGrant(entry) ? { ...entry, tokens: entry.tokens * 3 } : entry)),
    }));
    expect(rulesOf(fast, { clock: "hybrid" })).toContain("rate");
  });

  test("a capacity that nobody configured", () => {
    expect(rulesOf(recorded, { max: 100 })).toContain("capacity");
  });

  test("a line that is missing", () => {
    const [first, ...others] = recorded as [BootLog, ...BootLog[]];
    const at = first.entries.findIndex(isGrant);
    expect(rulesOf([{ ...first, entries: first.entries.toSpliced(at, 1) }, ...others])).toContain("log");
  });
});

describe("tokens that were given back", () => {
  type Part = Pick<Grant, "tokens"> & { type: "grant" | "returned" | "refused"; epoch?: number };

  /**
   * The rules broken when these follow the last grant that fills an epoch; in that epoch unless they name how much
   * earlier.
   */
  function rulesAfterFull(...parts: Part[]): string[] {
    const full = fullEpochs();
    return rulesOf(
      forged(0, (entries) => {
        const at = entries.findLastIndex((entry) => isGrant(entry) && full.has(entry.epoch));
        const { epoch } = entries[at] as Grant;
        // When all others have granted theirs.
        const grants = recorded.flatMap((log) => log.entries).filter(isGrant);
        const atMs = Math.max(...grants.filter((grant) => grant.epoch === epoch).map((grant) => grant.atMs)) + 0.001;
        const more = parts.map((part) => ({ n: 0, atMs, ...part, epoch: epoch - (part.epoch ?? 0) }));
        return entries.toSpliced(at + 1, 0, ...more);
      }),
    );
  }

  test("may be granted again in their epoch", () => {
    expect(rulesAfterFull({ type: "returned", tokens: 3 }, { type: "grant", tokens: 3 })).toEqual([]);
    expect(rulesAfterFull({ type: "returned", tokens: 3 }, { type: "grant", tokens: 4 })).toContain("epoch-sum");
  });

  test("are no others' in a later epoch", () => {
    const rules = rulesAfterFull({ type: "returned", tokens: 3, epoch: 1 }, { type: "grant", tokens: 3 });
    expect(rules).toContain("epoch-sum");
  });

  test("are not granted again before they came back", () => {
    const rules = rulesAfterFull({ type: "grant", tokens: 3 }, { type: "returned", tokens: 3 });
    expect(rules).toContain("epoch-sum");
  });

  test("are not granted again when they were not taken", () => {
    const refused = [
      { type: "returned", tokens: 3 },
      { type: "refused", tokens: 3 },
    ] as const;
    expect(rulesAfterFull(...refused)).toEqual([]);
    expect(rulesAfterFull(...refused, { type: "grant", tokens: 3 })).toContain("epoch-sum");
    expect(rulesAfterFull(refused[0], { type: "grant", tokens: 3 }, refused[1])).toEqual(["given-back"]);
  });

  test("may be granted again in their epoch by another process, and not before they came back", () => {
    const full = Math.max(...fullEpochs());
    const grants = recorded.flatMap((log) => log.entries).filter((entry) => isGrant(entry) && entry.epoch === full);
    const lastMs = Math.max(...grants.map(({ atMs }) => atMs));
    const passedOn = (returnedMs: number, grantedMs: number): string[] => {
      const add = (log: BootLog, type: "returned" | "grant", atMs: number): BootLog => {
        const at = log.entries.findLastIndex((entry) => isGrant(entry) && entry.epoch === full);
        const entry = { n: 0, type, atMs, epoch: full, tokens: 2 } as Entry;
        return { ...log, entries: log.entries.toSpliced(at + 1, 0, entry).map((one, i) => ({ ...one, n: i + 1 })) };
      };
      const [a, b, ...others] = recorded.filter(({ entries }) =>
        entries.some((entry) => isGrant(entry) && entry.epoch === full),
      ) as [BootLog, BootLog, ...BootLog[]];
      const rest = recorded.filter((log) => log !== a && log !== b);
      expect(others.every((log) => rest.includes(log))).toBe(true);
      return rulesOf([add(a, "returned", returnedMs), add(b, "grant", grantedMs), ...rest]);
    };
    expect(passedOn(lastMs + 1, lastMs + 2)).not.toContain("epoch-sum");
    expect(passedOn(lastMs + 2, lastMs + 1)).toContain("epoch-sum");
  });

  test("are no more than were granted, and no batch is larger than its grant", () => {
    expect(rulesAfterFull({ type: "returned", tokens: 1_000 })).toEqual(["given-back"]);
    expect(rulesAfterFull({ type: "returned", tokens: -1 })).toEqual(["given-back"]);
  });

  test("are told apart by when they came back", () => {
    expect(checkHistory(recorded, facts).givenBack).toEqual({ inTime: 0, late: 0 });
    const full = Math.max(...fullEpochs());
    const returned = (epoch: number): Entry => ({ n: 0, type: "returned", atMs: 0, epoch, tokens: 1 });
    const both = forged(0, (entries) => {
      const at = entries.findLastIndex((entry) => isGrant(entry) && entry.epoch === full);
      return entries.toSpliced(at + 1, 0, returned(full), returned(full - 1));
    });
    expect(checkHistory(both, facts).givenBack).toEqual({ inTime: 1, late: 1 });
  });
});

test("where writes may be lost, the sum of an epoch is told apart, and the rest is as strict", () => {
  const losesWrites = { ...facts, losesWrites: true };
  const one = checkHistory(
    forged(
      0,
      afterLastGrant((grant) => ({ ...grant, tokens: 1 })),
    ),
    losesWrites,
  );
  expect(one.violations).toEqual([]);
  expect(one.overshoots.map(({ rule }) => rule)).toContain("epoch-sum");
  expect(one.worstEpoch).toBeGreaterThan(0);
  const late = forged(0, (entries) => [...entries, { ...(entries.find(isGrant) as Grant) }]);
  expect(checkHistory(late, losesWrites).violations.map(({ rule }) => rule)).toContain("granted-after-end");
});

test("a history without a grant is an error, not a pass", () => {
  const message = "nothing was granted: there is no history to check";
  expect(() => checkHistory([], facts)).toThrow(message);
  const silent = recorded.map((log) => ({ ...log, entries: log.entries.filter((entry) => !isGrant(entry)) }));
  expect(() => checkHistory(silent, facts)).toThrow(message);
});

test("a last line without its end is not a grant, a broken one in the middle is an error", () => {
  const line = JSON.stringify({ n: 1, type: "fenced", atMs: 1 });
  expect(parseLog("worker", `${line}\n{"n":2,"type":"gra`).entries).toEqual([JSON.parse(line)]);
  expect(() => parseLog("worker", `{"n":1,"ty\n${line}\n`)).toThrow(SyntaxError);
});

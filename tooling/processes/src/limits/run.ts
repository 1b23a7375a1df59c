import { setTimeout as sleep } from "node:timers/promises";
import { runSource } from "@dt-tooling/backends/source-process";
import { machineNow } from "../machine-now.ts";
import type { PermitStore, StartedStore } from "../permits/stores/permit-store.ts";
import { Fleet } from "./fleet.ts";
import { type Judgement, judge, type Setting } from "./judge.ts";
import { BURST, CODE_LIMIT, type Kind, NAME } from "./settings.ts";

export interface RunSettings {
  readonly kinds: readonly Kind[];
  /** Processes of each kind. */
  readonly ofEach: number;
  /** Callers in each process. */
  readonly callers: number;
  /** How long each limit stays, in milliseconds. */
  readonly stayMs: number;
}

export interface LimitsResult {
  readonly settings: RunSettings;
  readonly kinds: Readonly<Partial<Record<Kind, Judgement>>>;
  /** Processes that made no call after the limit was raised from 1. */
  readonly stuck: number;
  readonly violations: readonly string[];
}

const CLI = new URL("../../../../apps/cli/src/main.ts", import.meta.url);

/**
 * A live member knows a limit with its next sync: a second, and as long for the answer. Instants and units that were
 * taken before are used up to two seconds later.
 */
const SYNC_MS = 4_000;

/** A process that is cut off goes on until its share is not valid any more. */
const VALIDITY_MS = 15_000;

/** So long nothing may hold up a process for good. */
const STUCK_MS = 300_000;

/** The limits that follow each other, as parts of the code's: raised, lowered, lowered to 1, and raised again. */
const LIMITS = [2 * CODE_LIMIT, CODE_LIMIT / 4, 1, CODE_LIMIT];

/** Lets `dt limit set` change the limits of real processes while their callers make calls, and judges the calls. */
export async function runLimits(
  store: PermitStore,
  settings: RunSettings,
  say: (line: string) => void = () => {},
): Promise<LimitsResult> {
  await using stack = new AsyncDisposableStack();
  const started = await store.start();
  stack.defer(() => started.stop());
  const { kinds, ofEach, callers, stayMs } = settings;
  const fleet = stack.use(new Fleet(started));
  say(`${kinds.length * ofEach} processes start`);
  await fleet.start(kinds, ofEach, callers);
  const set: Record<string, Setting[]> = {};
  for (const kind of kinds) set[kind] = [{ limit: CODE_LIMIT, askedMs: 0, setMs: 0, graceMs: 0 }];
  const change = async (limit: number, graceMs: number): Promise<void> => {
    say(`dt limit set: ${limit}`);
    for (const kind of kinds) {
      const askedMs = machineNow();
      await setLimit(started, kind, limit);
      (set[kind] as Setting[]).push({ limit, askedMs, setMs: machineNow(), graceMs });
    }
  };
  let stuck = await fleet.stuckSince(0, STUCK_MS);
  await sleep(stayMs);
  for (const limit of LIMITS) {
    await change(limit, SYNC_MS);
    await sleep(limit < CODE_LIMIT ? stayMs + SYNC_MS : stayMs);
  }
  stuck += await fleet.stuckSince(machineNow(), STUCK_MS);
  if (started.loseReplies) {
    say("the first process of each kind is cut off");
    const cut = started.loseReplies(VALIDITY_MS + 2 * stayMs);
    await change(CODE_LIMIT / 4, VALIDITY_MS);
    await cut;
  }
  const judged = kinds.map(
    (kind) => [kind, judge(kind, fleet.calls(kind), set[kind] as Setting[], fleet.late(kind))] as const,
  );
  return {
    settings,
    kinds: Object.fromEntries(judged),
    stuck,
    violations: [
      ...judged.flatMap(([, { violations }]) => violations),
      ...(stuck > 0 ? [`${stuck} processes made no call after the limit was raised`] : []),
    ],
  };
}

/** On a busy machine the command may miss its store's deadline: an operator then gives it again. */
const TRIES = 20;

/** As an operator sets it. @throws Error with what the command wrote, when it fails again and again */
async function setLimit({ options }: StartedStore, kind: Kind, limit: number): Promise<void> {
  const { path, url, connectionString } = options as Readonly<Record<string, string | undefined>>;
  const address = path === undefined ? (url ?? connectionString ?? "") : `sqlite:${path}`;
  const text = { semaphore: String(limit), budget: `requests=${limit}` }[kind as string] ?? `${limit}/s`;
  const burst = kind === "keyed" ? ["--burst", String(Math.min(BURST, limit))] : [];
  for (let tries = 1; ; tries++) {
    const args = ["limit", "set", address, kind, NAME, text, ...burst, "--reason", "a test"];
    const { code, stderr } = await runSource(CLI, ...args);
    if (code === 0) return;
    if (code !== 1 || tries === TRIES) throw new Error(`dt limit set ended with ${code}: ${stderr}`);
  }
}

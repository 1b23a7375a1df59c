import type {
  BucketAnswer,
  BucketPage,
  BucketSnapshot,
  BudgetLedger,
  BudgetPage,
  BudgetSnapshot,
  GroupPage,
  GroupSnapshot,
  KeyedLedger,
  LimitLedger,
  LimitRecord,
  MemberView,
  PermitLedger,
  PermitPage,
  PermitSnapshot,
  RepairReport,
  Reservation,
  SlotHint,
  SpendAnswer,
  View,
} from "@dt/core";
import { printBucketAnswer } from "./buckets/print-answer.ts";
import { printSpendAnswer } from "./budgets/print-answer.ts";
import { isMemberView } from "./member.ts";
import { printReservation } from "./permits/print-reservation.ts";

/** One call to a store, as data. Times are milliseconds since the case began. */
export interface HistoryEntry {
  /** When the call was sent, in milliseconds on the recorder's clock. */
  readonly startMs: number;
  /** Undefined while the call is pending. */
  endMs?: number;
  /** Which of the case's stores was called: 1, 2, ... */
  readonly store: number;
  /** The operation's name, such as `sync`. */
  readonly call:
    | "register"
    | "sync"
    | "deregister"
    | "inspect"
    | "repair"
    | "onHint"
    | "onSlotHint"
    | "list"
    | keyof PermitLedger
    | keyof BudgetLedger
    | "close"
    | keyof LimitLedger
    | keyof KeyedLedger
    | "note";
  /** The name of the group, the key, the budget or the bucket, nothing for a list, or the text of a note. */
  readonly subject: string;
  /** The operation's arguments. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The answer, where the call succeeded. */
  result?: unknown;
  /** The error, where the call failed. */
  error?: { readonly name: string; readonly code?: string; readonly effect?: string; readonly message: string };
}

const OF_KEYS: ReadonlySet<HistoryEntry["call"]> = new Set([
  "reserve",
  "release",
  "resetPermits",
  "inspectPermits",
  "onPermitHint",
]);

const OF_BUDGETS: ReadonlySet<HistoryEntry["call"]> = new Set(["spend", "resetBudget", "inspectBudget"]);

const OF_BUCKETS: ReadonlySet<HistoryEntry["call"]> = new Set(["take", "resetBucket", "inspectBucket"]);

/** Calls printed with a failure: enough to see how it came about, not so many that nobody reads them. */
const PRINTED = 40;

type Page = GroupPage | PermitPage | BudgetPage | BucketPage;
type OfOthers = Reservation | PermitSnapshot | SpendAnswer | BudgetSnapshot | BucketSnapshot | LimitRecord;
type Answer = View | GroupSnapshot | RepairReport | Page | OfOthers;

/**
 * A history as text, one line per call. Names are shortened to g1, k1, b1, t1 for a group, a key, a budget, a bucket.
 */
export function printHistory(entries: readonly HistoryEntry[]): string {
  const names = new Map<string, string>();
  const lines = entries.map((entry) => line(entry, names));
  const shown = lines.slice(-PRINTED);
  if (lines.length > shown.length) shown.unshift(`... ${lines.length - shown.length} earlier calls`);
  const legend = [...names].map(([group, name]) => `${name} = ${JSON.stringify(shorten(group, 80))}`);
  return [...shown, ...legend.slice(-PRINTED)].join("\n") || "no call";
}

function line(entry: HistoryEntry, names: Map<string, string>): string {
  const at = `${entry.startMs.toFixed(1)}..${entry.endMs === undefined ? "pending" : entry.endMs.toFixed(1)}`.padEnd(
    16,
  );
  if (entry.call === "note") return `${at} ${entry.subject}`;
  const target = entry.subject === "" ? "" : ` ${shortName(entry, names)}`;
  return `${at} store ${entry.store}: ${entry.call}${target}${args(entry.args)} -> ${outcome(entry)}`;
}

function shortName({ call, subject }: HistoryEntry, names: Map<string, string>): string {
  const letter = OF_BUDGETS.has(call) ? "b" : OF_BUCKETS.has(call) ? "t" : OF_KEYS.has(call) ? "k" : "g";
  const name = names.get(subject) ?? `${letter}${names.size + 1}`;
  names.set(subject, name);
  return name;
}

function args(values: Readonly<Record<string, unknown>> | undefined): string {
  if (!values) return "";
  const shown = Object.entries(values).map(
    ([key, value]) => `${key} ${shorten(JSON.stringify(value) ?? String(value), 48)}`,
  );
  return ` (${shown.join(", ")})`;
}

function outcome(entry: HistoryEntry): string {
  if (entry.error) {
    const { name, code, effect, message } = entry.error;
    return `${name}${code ? ` ${code} (${effect})` : ""}: ${shorten(message, 120)}`;
  }
  if (entry.endMs === undefined) return "no answer yet";
  const result = entry.result as Answer | undefined;
  if (typeof result !== "object" || result === null) return "done";
  if (Array.isArray(entry.result)) return printTaken(entry.result as readonly (BucketAnswer | Error)[]);
  if ("found" in result)
    return `${result.reset ? "reset, " : ""}${result.members} members, found ${JSON.stringify(result.found)}`;
  if ("groups" in result || "keys" in result || "budgets" in result || "buckets" in result) return printPage(result);
  if ("rests" in result) return printSpendAnswer(result);
  if ("hitsResetMs" in result) return shorten(JSON.stringify(result), 200);
  if ("history" in result) return shorten(JSON.stringify({ ...result, history: undefined }), 200);
  if ("open" in result) return shorten(JSON.stringify({ ...result, budget: undefined }), 200);
  if ("reservedUntilMs" in result) return shorten(JSON.stringify({ ...result, key: undefined }), 200);
  if ("granted" in result) return printReservation(result);
  if ("adopted" in result) {
    const held = result.members.map((m) => `${shorten(m.id, 12)}:${m.held}${m.fenced ? "!" : ""}`);
    const list = held.length > 12 ? [...held.slice(0, 12), "..."] : held;
    return `generation ${result.generation}, capacity ${result.capacity}, ${result.adopted} of ${result.memberCount} adopted, held ${result.held} [${list.join(" ")}]`;
  }
  if (!isMemberView(result)) return `${result.status} at ${result.storeTimeMs}`;
  const view = `${result.status} generation ${result.generation}, members ${result.members} (reported ${result.reportedMembers}), rank ${result.rank}`;
  const flags = `${result.learning ? ", learning" : ""}${result.resumeLevel === null ? "" : `, resume ${result.resumeLevel}`}`;
  return `${view}, held ${result.held}, entitled ${result.entitled} from epoch ${result.fromEpoch} (early ${result.early})${demandOf(result)}, capacity ${result.capacity}${flags}, at ${result.storeTimeMs}`;
}

function demandOf({ demand }: MemberView): string {
  if (!demand) return "";
  const flags = (["odd", "tight", "hungry"] as const).filter((flag) => demand[flag]).map((flag) => ` ${flag}`);
  const { slots } = demand;
  const queue = slots && (["over", "wanted"] as const).filter((flag) => slots[flag]).map((flag) => `${flag}, `);
  const order = slots ? `, ${queue?.join("")}place ${slots.place}, turns ${slots.turns}` : "";
  return `, water level ${demand.waterLevel} (reserve ${demand.reserve}, extra ${demand.extra}${flags.join("")})${order}`;
}

/** A hint to a member of a semaphore, as text. */
export function printHint(hint: SlotHint | undefined): string {
  if (!hint) return "hints may have been missed";
  const level = `water level ${hint.waterLevel}`;
  if (hint.kind === "ask") return `asked for ${hint.give}, ${level}`;
  return `offered ${hint.held} after request ${hint.seq}, ${level}${hint.wanted ? ", wanted" : ""}`;
}

/** The first of the answers, and how many there are. */
function printTaken(answers: readonly (BucketAnswer | Error)[]): string {
  const [first] = answers;
  const shown = first instanceof Error ? first.message : first && printBucketAnswer(first);
  return `${answers.length > 1 ? `${answers.length} answers, the first ` : ""}${shorten(String(shown), 300)}`;
}

function printPage(page: Page): string {
  const names =
    "groups" in page ? page.groups : "keys" in page ? page.keys : "budgets" in page ? page.budgets : page.buckets;
  return `${names.length} names, ${page.next === undefined ? "the last" : `next ${shorten(page.next, 60)}`}`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text;
}

import { createHash } from "node:crypto";
import buckets from "../lua/buckets/buckets.lua";
import bucketFormat from "../lua/buckets/format.lua";
import inspectBucketCommand from "../lua/buckets/inspect.lua";
import bucketNumbers from "../lua/buckets/numbers.lua";
import resetBucketCommand from "../lua/buckets/reset.lua";
import serveBucket from "../lua/buckets/serve.lua";
import bucketTable from "../lua/buckets/table.lua";
import takeCommand from "../lua/buckets/take.lua";
import budgets from "../lua/budgets/budgets.lua";
import inspectBudgetCommand from "../lua/budgets/inspect.lua";
import resetBudgetCommand from "../lua/budgets/reset.lua";
import spendCommand from "../lua/budgets/spend.lua";
import budgetTable from "../lua/budgets/table.lua";
import budgetWindow from "../lua/budgets/window.lua";
import channelCommand from "../lua/channel.lua";
import clock from "../lua/clock.lua";
import data from "../lua/data.lua";
import demand from "../lua/demand.lua";
import deregisterCommand from "../lua/deregister.lua";
import fair from "../lua/fair.lua";
import formats from "../lua/formats.lua";
import freed from "../lua/freed.lua";
import groupClock from "../lua/group-clock.lua";
import hint from "../lua/hint.lua";
import inspectCommand from "../lua/inspect.lua";
import ledger from "../lua/ledger.lua";
import limitHead from "../lua/limits/head.lua";
import readLimitCommand from "../lua/limits/read.lua";
import writeLimitCommand from "../lua/limits/write.lua";
import listCommand from "../lua/list.lua";
import lookup from "../lua/lookup.lua";
import membership from "../lua/membership.lua";
import inspectPermitsCommand from "../lua/permits/inspect.lua";
import permits from "../lua/permits/permits.lua";
import releaseCommand from "../lua/permits/release.lua";
import reserveCommand from "../lua/permits/reserve.lua";
import resetCommand from "../lua/permits/reset.lua";
import permitTable from "../lua/permits/table.lua";
import proven from "../lua/proven.lua";
import registerCommand from "../lua/register.lua";
import repair from "../lua/repair.lua";
import repairCommand from "../lua/repair-command.lua";
import rows from "../lua/rows.lua";
import slotAnswer from "../lua/slots/answer.lua";
import slotHint from "../lua/slots/hint.lua";
import slotQueue from "../lua/slots/queue.lua";
import slotTable from "../lua/slots/table.lua";
import slotTurn from "../lua/slots/turn.lua";
import steady from "../lua/steady.lua";
import syncCommand from "../lua/sync.lua";
import table from "../lua/table.lua";
import text from "../lua/text.lua";

/** A Lua script as the server knows it. */
export interface Script {
  readonly text: string;
  /** SHA-1 of the text, the name under which the server caches it. */
  readonly sha: string;
}

/** One script from several files: the shared parts first, in the order in which they use each other. */
export function compose(...parts: readonly string[]): Script {
  const text = parts.join("\n");
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/**
 * Parts whose functions are made only when they are needed, by the first call of a function of this name: a script
 * makes, in every run, all that are not inside another.
 */
function onDemand(name: string, ...parts: readonly string[]): string {
  const make = [`local made_${name}`, `local function ${name}()`, `if made_${name} then return made_${name} end`];
  return [...make, `made_${name} = (function()`, ...parts, "end)()", `return made_${name}`, "end"].join("\n");
}

/** The store's operations as scripts. */
export interface Scripts {
  readonly register: Script;
  readonly sync: Script;
  readonly deregister: Script;
  readonly inspect: Script;
  readonly repair: Script;
  readonly reserve: Script;
  readonly release: Script;
  readonly reset: Script;
  readonly inspectPermits: Script;
  readonly spend: Script;
  readonly inspectBudget: Script;
  readonly resetBudget: Script;
  readonly readLimit: Script;
  readonly writeLimit: Script;
  readonly take: Script;
  readonly inspectBucket: Script;
  readonly resetBucket: Script;
  readonly channel: Script;
  readonly list: Script;
}

/** The scripts over a given clock: Lua text that defines `clock_ms`. */
export function scriptsWithClock(clockText: string): Scripts {
  const marker = onDemand("data", proven, data);
  const limits = onDemand("limits", limitHead);
  const changes = onDemand("membership", lookup, membership);
  const byDemand = onDemand("demand", demand);
  const forSlots = onDemand("of_slots", slotHint, slotTable, slotTurn, slotQueue, slotAnswer);
  // Not even its function is made in the scripts of a throttle.
  const bySlots = ["if slots then", forSlots, "slots.rules = of_slots", "end"].join("\n");
  const first = [clockText, formats];
  const small = [text, fair];
  const basis = [rows, groupClock, marker, hint, table, freed, byDemand, bySlots, changes, limits, ledger];
  const withLedger = (command: string): Script => compose(...first, ...small, ...basis, repair, command);
  const withPermits = (command: string): Script =>
    compose(clockText, text, limits, permitTable, permits, hint, command);
  const withBudgets = (command: string): Script =>
    compose(clockText, text, limits, budgetTable, budgetWindow, budgets, command);
  const ofBuckets = [clockText, text, limits, bucketFormat];
  const bucketRules = onDemand("rules", bucketTable, buckets, serveBucket);
  return {
    register: withLedger(registerCommand),
    sync: compose(...first, steady, ...small, ...basis, repair, syncCommand),
    deregister: withLedger(deregisterCommand),
    inspect: withLedger(inspectCommand),
    repair: withLedger(repairCommand),
    reserve: withPermits(reserveCommand),
    release: withPermits(releaseCommand),
    reset: withPermits(resetCommand),
    inspectPermits: withPermits(inspectPermitsCommand),
    spend: withBudgets(spendCommand),
    inspectBudget: withBudgets(inspectBudgetCommand),
    resetBudget: compose(resetBudgetCommand),
    readLimit: compose(clockText, text, readLimitCommand),
    writeLimit: compose(writeLimitCommand),
    take: compose(...ofBuckets, bucketNumbers, bucketRules, takeCommand),
    inspectBucket: compose(...ofBuckets, bucketTable, buckets, inspectBucketCommand),
    resetBucket: compose(resetBucketCommand),
    channel: compose(clockText, marker, channelCommand),
    list: compose(listCommand),
  };
}

/** The scripts, on the server's clock. */
export const scripts: Scripts = scriptsWithClock(clock);

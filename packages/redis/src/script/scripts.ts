import channelCommand from "../lua/channel.lua";
import clock from "../lua/clock.lua";
import data from "../lua/data.lua";
import demand from "../lua/demand.lua";
import deregisterCommand from "../lua/deregister.lua";
import due from "../lua/due.lua";
import entitlement from "../lua/entitlement.lua";
import exact from "../lua/exact.lua";
import formats from "../lua/formats.lua";
import freed from "../lua/freed.lua";
import groupClock from "../lua/group-clock.lua";
import hint from "../lua/hint.lua";
import inspectCommand from "../lua/inspect.lua";
import ledger from "../lua/ledger.lua";
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
import steady from "../lua/steady.lua";
import syncCommand from "../lua/sync.lua";
import table from "../lua/table.lua";
import text from "../lua/text.lua";
import { compose, onDemand, type Script } from "./script.ts";

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
  readonly channel: Script;
  readonly list: Script;
}

/** The scripts over a given clock: Lua text that defines `clock_ms`. */
export function scriptsWithClock(clockText: string): Scripts {
  const marker = onDemand("data", proven, data);
  const changes = onDemand("membership", lookup, membership);
  const byDemand = onDemand("demand", demand);
  const first = [clockText, formats];
  const small = [text, exact, due];
  const basis = [rows, groupClock, marker, hint, table, freed, byDemand, entitlement, changes, ledger];
  const withLedger = (command: string): Script => compose(...first, ...small, ...basis, repair, command);
  const withPermits = (command: string): Script => compose(clockText, text, permitTable, permits, hint, command);
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
    channel: compose(clockText, marker, channelCommand),
    list: compose(listCommand),
  };
}

/** The scripts, on the server's clock. */
export const scripts: Scripts = scriptsWithClock(clock);

import type { Activity, Farewell, MemberRef, Registration, Report, Use } from "../contract/coordination-store.ts";
import type { Demand } from "../contract/demand.ts";
import type { RepairOptions } from "../contract/inspect-and-repair.ts";
import { checkFlag, checkInteger, checkKeys, checkName, invalidOption } from "../internal/check.ts";
import { LATEST_MS, LONGEST_MS, MOST_LEARNING, MOST_MEMBERS, MOST_TOKENS, SHORTEST_MS } from "./bounds.ts";

/**
 * Checks of what a caller hands to a store, before anything is read or written, so that every adapter refuses the same
 * things with the same words.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkRegistration(group: string, registration: Registration): void {
  checkMember(group, registration);
  checkInteger("registration.seq", registration.seq, 1);
  if (typeof registration.rejoin !== "boolean")
    throw invalidOption("registration.rejoin", registration.rejoin, "give true or false");
  checkInteger("registration.claim", registration.claim, 0, MOST_TOKENS);
  checkInteger("registration.max", registration.max, 1, MOST_TOKENS);
  checkFlag("registration.stored", registration.stored);
  checkNumber("registration.intervalMs", registration.intervalMs, SHORTEST_MS, LONGEST_MS);
  checkNumber("registration.staleAfterMs", registration.staleAfterMs, SHORTEST_MS, LONGEST_MS);
  checkNumber("registration.learningMs", registration.learningMs, 0, MOST_LEARNING * registration.staleAfterMs);
  checkNumber("registration.clockErrorMs", registration.clockErrorMs ?? 0, 0, LONGEST_MS);
  checkNumber("registration.resumeWithinMs", registration.resumeWithinMs, 0, LONGEST_MS);
  checkNumber("registration.observedMs", registration.observedMs, 0, LATEST_MS);
  checkLevel("registration.level", registration.level);
  checkDemand("registration.demand", registration.demand);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkReport(group: string, member: MemberRef, report: Report): void {
  checkMember(group, member);
  checkInteger("report.seq", report.seq, 1);
  checkInteger("report.generation", report.generation, 0);
  checkInteger("report.members", report.members, 0, MOST_MEMBERS);
  checkInteger("report.held", report.held, 0, MOST_TOKENS);
  checkInteger("report.max", report.max, 1, MOST_TOKENS);
  checkFlag("report.stored", report.stored);
  checkLevel("report.level", report.level);
  checkNumber("report.observedMs", report.observedMs ?? 0, 0, LATEST_MS);
  checkUse("report.use", report.use);
  checkDemand("report.demand", report.demand);
  checkActivity("report.activity", report.activity);
  checkNumber("report.pauseMs", report.pauseMs ?? 0, 0, LONGEST_MS);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkFarewell(group: string, member: MemberRef, farewell: Farewell): void {
  checkMember(group, member);
  checkInteger("farewell.seq", farewell.seq, 1);
  checkLevel("farewell.level", farewell.level);
  checkNumber("farewell.observedMs", farewell.observedMs ?? 0, 0, LATEST_MS);
  checkUse("farewell.use", farewell.use);
}

function checkUse(name: string, use: Use | undefined): void {
  if (use === undefined) return;
  if (typeof use !== "object" || use === null) throw invalidOption(name, use, "give { epoch, used }, or leave it out");
  checkInteger(`${name}.epoch`, use.epoch, 0);
  checkInteger(`${name}.used`, use.used, 0, MOST_TOKENS);
}

function checkDemand(name: string, demand: Demand | undefined): void {
  if (demand === undefined) return;
  if (typeof demand !== "object" || demand === null)
    throw invalidOption(name, demand, "give { want, syncMs }, or leave it out");
  checkInteger(`${name}.want`, demand.want, 0, MOST_TOKENS);
  checkNumber(`${name}.syncMs`, demand.syncMs, SHORTEST_MS, LONGEST_MS);
  const { slots } = demand;
  if (slots === undefined) return;
  if (typeof slots !== "object" || slots === null)
    throw invalidOption(`${name}.slots`, slots, "give { waiting, head, tookOffer }, or leave it out");
  checkInteger(`${name}.slots.waiting`, slots.waiting, 0, MOST_TOKENS);
  checkInteger(`${name}.slots.head`, slots.head, 0, MOST_TOKENS);
  if (typeof slots.tookOffer !== "boolean")
    throw invalidOption(`${name}.slots.tookOffer`, slots.tookOffer, "give true or false");
}

function checkActivity(name: string, activity: Activity | undefined): void {
  if (activity === undefined) return;
  if (typeof activity !== "object" || activity === null)
    throw invalidOption(name, activity, "give { used, waiting }, or leave it out");
  checkInteger(`${name}.used`, activity.used, 0, MOST_TOKENS);
  checkInteger(`${name}.waiting`, activity.waiting, 0, MOST_TOKENS);
}

const REPAIR_OPTIONS: ReadonlySet<string> = new Set(["reset"]);

/** @throws DtError `DT_INVALID_OPTION` */
export function checkRepairOptions(options: RepairOptions): void {
  checkKeys("options", options, REPAIR_OPTIONS);
  if (options.reset !== undefined && typeof options.reset !== "boolean")
    throw invalidOption("reset", options.reset, "give true or false");
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkMember(group: string, member: MemberRef): void {
  checkName("group", group);
  checkName("member.id", member.id);
  checkName("member.incarnation", member.incarnation);
}

function checkNumber(option: string, value: unknown, least: number, most: number): void {
  if (typeof value !== "number" || !(value >= least && value <= most))
    throw invalidOption(option, value, `give a number of milliseconds from ${least} to ${most}`);
}

function checkLevel(option: string, value: unknown): void {
  if (value !== null && (typeof value !== "number" || !(value >= 0 && value <= MOST_TOKENS)))
    throw invalidOption(option, value, `give null or a number of tokens from 0 to ${MOST_TOKENS}`);
}

import { checkInteger, checkName, invalidOption } from "../options/check.ts";
import type { Farewell, MemberRef, Registration, Report } from "../store/coordination-store.ts";

/**
 * Checks of what a caller hands to a store, so that every adapter refuses the same things with the same words.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkRegistration(group: string, registration: Registration): void {
  checkMember(group, registration);
  checkInteger("registration.seq", registration.seq, 1);
  checkInteger("registration.claim", registration.claim, 0);
  checkInteger("registration.max", registration.max, 1);
  checkPositive("registration.intervalMs", registration.intervalMs);
  checkPositive("registration.staleAfterMs", registration.staleAfterMs);
  checkNonNegative("registration.learningMs", registration.learningMs);
  checkNonNegative("registration.resumeWithinMs", registration.resumeWithinMs);
  checkTime("registration.observedMs", registration.observedMs);
  checkLevel("registration.level", registration.level);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkReport(group: string, member: MemberRef, report: Report): void {
  checkMember(group, member);
  checkInteger("report.seq", report.seq, 1);
  checkInteger("report.generation", report.generation, 0);
  checkInteger("report.poolSize", report.poolSize, 0);
  checkInteger("report.held", report.held, 0);
  checkInteger("report.max", report.max, 1);
  checkLevel("report.level", report.level);
  checkTime("report.observedMs", report.observedMs ?? 0);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkFarewell(group: string, member: MemberRef, farewell: Farewell): void {
  checkMember(group, member);
  checkLevel("farewell.level", farewell.level);
  checkTime("farewell.observedMs", farewell.observedMs ?? 0);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkMember(group: string, member: MemberRef): void {
  checkName("group", group);
  checkName("member.id", member.id);
  checkName("member.incarnation", member.incarnation);
}

function checkPositive(option: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0)
    throw invalidOption(option, value, "give a number of milliseconds > 0");
}

function checkNonNegative(option: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0)
    throw invalidOption(option, value, "give a number of milliseconds >= 0");
}

/** The latest time that JavaScript's dates know: a time beyond it would push the group's for good. */
const LATEST_MS = 8.64e15;

function checkTime(option: string, value: unknown): void {
  checkNonNegative(option, value);
  if ((value as number) > LATEST_MS) throw invalidOption(option, value, `give a time of at most ${LATEST_MS} ms`);
}

function checkLevel(option: string, value: unknown): void {
  if (value !== null && (typeof value !== "number" || !Number.isFinite(value) || value < 0))
    throw invalidOption(option, value, "give null or a number of tokens >= 0");
}

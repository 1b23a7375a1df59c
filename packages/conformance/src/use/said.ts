import type { Farewell, MemberRef, Registration, Report, Use } from "@dt/core";
import { checkFarewell, checkRegistration, checkReport } from "@dt/core/ledger";

/** What a member says with a request of what it uses. */
export interface Said {
  readonly incarnation: string;
  readonly seq: number;
  readonly observedMs: number;
  /** The most that it has in use from here on. */
  readonly kept: number;
  readonly use: Use | undefined;
  /** Only with a registration. */
  readonly joins?: Registration;
}

/** Undefined where the registration is malformed, so that a store refuses it. */
export function saidToJoin(registration: Registration): Said | undefined {
  return wellFormed(() => {
    checkRegistration("group", registration);
    const { incarnation, seq, observedMs, claim } = registration;
    return { incarnation, seq, observedMs, kept: claim, use: undefined, joins: registration };
  });
}

/** Undefined where the report is malformed. */
export function saidToStay(member: MemberRef, report: Report): Said | undefined {
  return wellFormed(() => {
    checkReport("group", member, report);
    const { seq, observedMs = 0, held, use } = report;
    return { incarnation: member.incarnation, seq, observedMs, kept: held, use };
  });
}

/** Undefined where the farewell is malformed. */
export function saidToLeave(member: MemberRef, farewell: Farewell): Said | undefined {
  return wellFormed(() => {
    checkFarewell("group", member, farewell);
    const { seq, observedMs = 0, use } = farewell;
    return { incarnation: member.incarnation, seq, observedMs, kept: 0, use };
  });
}

function wellFormed(read: () => Said): Said | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

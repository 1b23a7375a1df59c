import type { SlotMember } from "./slot-member.ts";

/** Why a call got no slot at this instant. */
export interface WhyNot {
  /** The first reason that holds, for messages. */
  readonly why: string;
  /** The time after which it is worth asking again, in milliseconds; undefined where that is not known. */
  readonly retryAfterMs?: number;
}

/** Why a call got no slot at this instant: the first reason that holds. */
export function whyNot(member: SlotMember, nowMs: number): WhyNot {
  const pauseMs = member.pause.leftMs(nowMs);
  if (pauseMs === 0) return { why: reasonOf(member, nowMs) };
  const why = `the fleet is paused for another ${Math.ceil(pauseMs)} ms (pauseUntil, here or elsewhere)`;
  return { why, retryAfterMs: pauseMs };
}

function reasonOf({ share, lastError, isLearning }: SlotMember, nowMs: number): string {
  if (!share.isMember || !share.isValid(nowMs)) {
    const cause = lastError ? ` (${lastError.code}: ${lastError.message})` : "";
    return `the store has not answered${cause}`;
  }
  if (isLearning)
    return "the group is new on a store that can lose its data: no slot is granted until the slots of before, if any, are over (learning)";
  if (share.over) return "more slots are in use than there are, since max was lowered";
  if (share.inUse >= share.cap) return `cap(${share.cap}) bounds this process`;
  return "calls end too late, or max is too low";
}

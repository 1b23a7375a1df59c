import type { SlotMember } from "./slot-member.ts";

/** Why a call got no slot at this instant, for messages: the first reason that holds. */
export function whyNot({ share, lastError, isLearning }: SlotMember, nowMs: number): string {
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

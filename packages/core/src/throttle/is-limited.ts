import type { Membership } from "../consensus/membership.ts";
import type { Allowance } from "./allowance.ts";

/**
 * True where it is the limit that keeps a call from its tokens at this instant. A store that is away, a group that
 * learns, and a share that begins with a later epoch are other reasons: they end by themselves, with tokens unused.
 */
export function isLimited(nowMs: number, allowance: Allowance, { holding, obstacles, pause }: Membership): boolean {
  if (!allowance.valid(nowMs)) return false;
  if (allowance.allotment.tokens > 0 || pause.leftMs(nowMs) > 0 || allowance.level < 1) return true;
  return holding.held === 0 && !obstacles.learning;
}

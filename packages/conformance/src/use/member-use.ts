import type { MemberView, SlotOffer, Use } from "@dt/core";
import { ByEpoch } from "./by-epoch.ts";

/**
 * What one member may use in each epoch if it goes by the answers, as anybody can tell who sees these and its requests.
 * Never changed itself.
 */
export interface MemberUse {
  /** Of the newest request that was sent. */
  readonly seq: number;
  /** False where the store certainly does not have it on record. */
  readonly isMember: boolean;
  /** What it is recorded as holding; undefined where that is not known. */
  readonly held: number | undefined;
  /** What it may have in use. */
  readonly usable: ByEpoch;
  /** What it may have used already, whatever it has given up since. */
  readonly used: ByEpoch;
  /** Of that, what it gave up in the newest epoch that it spoke of: no more of it counts against its share. */
  readonly spent: Use;
  /** The most that it may use of an epoch altogether. */
  readonly most: ByEpoch;
  /** The last offer that it took (R30). */
  readonly offer?: SlotOffer;
  readonly staleAfterMs: number;
  /** Store time from which on it may be removed. */
  readonly staleMs: number;
}

const ALWAYS = Number.NEGATIVE_INFINITY;

export const NOTHING_USED: MemberUse = {
  seq: 0,
  isMember: false,
  held: undefined,
  usable: ByEpoch.NONE,
  used: ByEpoch.NONE,
  spent: { epoch: 0, used: 0 },
  most: ByEpoch.NONE,
  staleAfterMs: 0,
  staleMs: Number.POSITIVE_INFINITY,
};

/** It keeps at most so much, and says nothing of its use: in epochs up to `newest` it may have used everything. */
export function keeping(member: MemberUse, kept: number, newest: number): MemberUse {
  const used = ByEpoch.of([member.most], [newest + 1], (epoch) => (epoch > newest ? 0 : member.most.in(epoch)));
  return summed({ ...member, used, usable: member.usable.lowered(kept, ALWAYS) });
}

/** It keeps at most so much, and says what it used in an epoch: the first tokens of that were those that it keeps. */
export function keepingOf(member: MemberUse, kept: number, use: Use): MemberUse {
  const before = spentIn(member, use.epoch);
  const freed = Math.max(0, (member.held ?? 0) - kept);
  const spent = Math.min(freed, Math.max(0, use.used - kept));
  const used = ByEpoch.of([member.most], [use.epoch, use.epoch + 1], (epoch) => {
    if (epoch > use.epoch) return 0;
    const most = member.most.in(epoch);
    return epoch < use.epoch ? most : Math.min(most, before + use.used);
  });
  const usable = member.usable.lowered(kept, ALWAYS);
  return summed({ ...member, used, usable, spent: { epoch: use.epoch, used: before + spent } });
}

/** It has so much in use, and nobody knows since when. */
export function claiming(member: MemberUse, claim: number): MemberUse {
  const usable = ByEpoch.of([member.usable], [], (epoch) => Math.max(member.usable.in(epoch), claim));
  return summed({ ...member, usable, held: member.isMember ? member.held : claim });
}

/** It may use what it is entitled to: what is new of that as the answer says. */
export function entitledBy(member: MemberUse, { entitled, fromEpoch, early }: MemberView): MemberUse {
  const more = Math.max(0, entitled - member.usable.in(Number.POSITIVE_INFINITY));
  const sooner = Math.min(early, more);
  const usable = member.usable.raised(sooner, fromEpoch - 1).raised(more - sooner, fromEpoch);
  return summed({ ...member, usable });
}

/** It may use what it is offered, from an epoch on (R30). */
export function offeredTo(member: MemberUse, offer: SlotOffer, fromEpoch: number): MemberUse {
  const more = Math.max(0, offer.held - member.usable.in(Number.POSITIVE_INFINITY));
  return summed({ ...member, offer, held: offer.held, usable: member.usable.raised(more, fromEpoch) });
}

function spentIn({ spent }: MemberUse, epoch: number): number {
  return spent.epoch === epoch ? spent.used : 0;
}

function summed(member: MemberUse): MemberUse {
  const { usable, used, spent } = member;
  const most = ByEpoch.of([usable, used], [spent.epoch, spent.epoch + 1], (epoch) =>
    Math.max(used.in(epoch), usable.in(epoch) + spentIn(member, epoch)),
  );
  return { ...member, most };
}

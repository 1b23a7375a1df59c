import type { GroupSnapshot, MemberSnapshot } from "@dt/core";
import { expect, test } from "vitest";
import { explainMember } from "../../src/fleet/explain-member.ts";
import { groupFacts } from "../../src/fleet/group-facts.ts";
import type { LedgerKind } from "../../src/stores/limiter.ts";
import { groupOf, memberOf } from "./support/snapshots.ts";

function why(
  member: Partial<MemberSnapshot>,
  others: readonly Partial<MemberSnapshot>[] = [{}],
  group: Partial<GroupSnapshot> = {},
  kind: LedgerKind = "throttle",
): string {
  const members = [member, ...others].map((one, at) => memberOf(`web-${at + 1}`, one));
  return explainMember(members[0] as MemberSnapshot, groupFacts(kind, groupOf(members, group), 3_000));
}

const EVEN = "even part of 100 tokens among 2 members";

test.each<[string, string, string]>([
  ["even", why({ held: 50 }), EVEN],
  ["one more in turns", why({ held: 34 }, [{ held: 33 }, { held: 33 }]), "even part of 100 tokens among 3 members"],
  [
    "turns",
    why({ held: 1, max: 1 }, [{ held: 0 }], { capacity: 1 }),
    "even part of 1 token among 2 members, which take turns",
  ],
  ["still more", why({ held: 100 }, [{ held: 0 }]), `more than the ${EVEN}: it gives up the rest with its next report`],
  [
    "newcomer",
    why({ held: 0 }, [{ held: 100 }]),
    `a newcomer, with less than the ${EVEN}: the others give up theirs with their next reports`,
  ],
  [
    "silent others",
    why({ held: 10 }, [{ held: 90, silentMs: 5_000 }]),
    `less than the ${EVEN}: silent members hold 90 tokens`,
  ],
  [
    "learning",
    why({ held: 0 }, [{}], { learning: true }),
    `less than the ${EVEN}; no share is raised while the group learns`,
  ],
  ["fenced", why({ fenced: true, held: 1 }), "another process has its id; it keeps 1 token until the store removes it"],
  ["silent", why({ silentMs: 4_000 }), "silent for 4 s; it keeps 50 tokens until the store removes it"],
  ["paused", why({}, [{}], { pausedForMs: 900 }), `${EVEN}; the fleet is paused`],
  [
    "lowered by a member",
    why({ max: 100, held: 20 }, [{ max: 40, held: 20 }], { capacity: 40 }),
    "even part of 40 tokens among 2 members; declares 100, lowered to 40 by member web-2",
  ],
  [
    "lowered by the store",
    why({ max: 100, held: 20 }, [{ max: null, held: 20 }], { capacity: 40 }),
    "even part of 40 tokens among 2 members; declares 100, lowered to 40 by the limit in the store",
  ],
  ["ramp", why({ level: 12.5 }), `${EVEN}; its ramp is at 12.5 of 100`],
  ["wants nothing", why({ want: 0, held: 10 }), "wants nothing"],
  ["has all", why({ want: 20, held: 20 }), "has all that it wants: 20 tokens"],
  [
    "scarce",
    why({ want: 80, held: 50 }, [{ want: 90, held: 50 }]),
    "wants 80 tokens: as much as the others that want more",
  ],
  [
    "on its way",
    why({ want: 80, held: 10 }, [{ want: 90, held: 90 }]),
    "wants 80 tokens: the others give up theirs with their next reports",
  ],
  [
    "free",
    why({ want: 80, held: 10 }, [{ want: 5, held: 5 }]),
    "wants 80 tokens, and is given more with its next report",
  ],
  [
    "scarce, with a rest of the division",
    why({ want: 80, held: 50 }, [{ want: 90, held: 49 }]),
    "wants 80 tokens: as much as the others that want more",
  ],
  [
    "silent others hold it",
    why({ want: 80, held: 10 }, [{ want: 90, held: 90, silentMs: 9_000 }]),
    "wants 80 tokens: silent members hold 90 tokens",
  ],
  [
    "slots",
    why({ want: 8, held: 8, level: 1 }, [{ want: 8, held: 2 }], { capacity: 10 }, "semaphore"),
    "has all that it wants: 8 slots; declares 100, lowered to 10 by the limit in the store",
  ],
])("a member's share: %s", (_, text, expected) => {
  expect(text).toBe(expected);
});

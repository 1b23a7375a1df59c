import type { GroupSnapshot, MemberSnapshot, MemberView, SlotAsk, SlotHint, SlotView, View } from "@dt/core";
import { divide, fairOf, wantOnGrid } from "@dt/core/ledger";
import { isMemberView } from "./member.ts";
import type { Rule } from "./rules.ts";

/** A broken rule and what shows it. */
export interface Violation {
  readonly rule: Rule;
  readonly summary: string;
}

/** What must hold, the rule that is broken where it does not, and what shows it. */
type Check = readonly [holds: boolean, rule: Rule, summary: string];

/** The longest pause, and a little for the rounding of sums of times. */
const DAY_MS = 86_400_000.01;

/** What must be true of every answer to `register` and `sync`, whatever the case. */
export function viewViolation(call: "register" | "sync", view: View): Violation | undefined {
  if (typeof view !== "object" || view === null)
    return { rule: "R16", summary: `${call} answered ${String(view)}, not a View` };
  if (!isMemberView(view)) {
    return first([
      [view.status === "unknown" || view.status === "fenced", "R9", `status is ${JSON.stringify(view.status)}`],
      [isTime(view.storeTimeMs), "R2", `storeTimeMs of a refusal is ${String(view.storeTimeMs)}, not a time`],
    ]);
  }
  const due = fairOf({ ...view, memberCount: view.members });
  return first([
    [isTime(view.storeTimeMs), "R2", `storeTimeMs is ${String(view.storeTimeMs)}, not a time`],
    [isTime(view.groupAgeMs), "R2", `groupAgeMs is ${String(view.groupAgeMs)}, not a number >= 0`],
    [isCount(view.generation, 1), "R5", `generation is ${String(view.generation)}, not a whole number >= 1`],
    [isCount(view.members, 1), "R9", `members is ${String(view.members)}, not a whole number >= 1`],
    [
      isCount(view.rank, 0) && view.rank < view.members,
      "R10",
      `rank ${String(view.rank)} is not within 0 .. ${view.members - 1}`,
    ],
    [isCount(view.capacity, 1), "R6", `capacity is ${String(view.capacity)}, not a whole number >= 1`],
    [isCount(view.held, 0), "R7", `held is ${String(view.held)}, not a whole number >= 0`],
    [typeof view.learning === "boolean", "R8", `learning is ${String(view.learning)}, not a boolean`],
    [!(view.learning && view.status === "agree"), "R8", "the answer is agree although the group is learning"],
    [isCount(view.reportedMembers, 0), "R9", `reportedMembers is ${String(view.reportedMembers)}, not a whole number`],
    [
      view.status !== "agree" || view.reportedMembers === view.members,
      "R9",
      `on agree reportedMembers is ${view.reportedMembers}, not members, ${view.members}`,
    ],
    [
      view.status !== "agree" || view.held === due.most,
      "R9",
      `on agree held is ${view.held}, not ceil(capacity ${view.capacity} / memberCount ${view.members}) = ${due.most}`,
    ],
    entitlementCheck(view),
    [isCount(view.fromEpoch, 0), "R19", `fromEpoch is ${String(view.fromEpoch)}, not a whole number >= 0`],
    [
      isCount(view.early, 0) && view.early <= view.entitled,
      "R20",
      `early is ${String(view.early)}, not a whole number of the ${view.entitled} that the member is entitled to`,
    ],
    [isTime(view.clockErrorMs), "R6", `clockErrorMs is ${String(view.clockErrorMs)}, not a number >= 0`],
    [
      view.resumeLevel === null || (call === "register" && typeof view.resumeLevel === "number"),
      "R13",
      `${call} answered resumeLevel ${String(view.resumeLevel)}`,
    ],
    [
      view.pausedForMs === undefined || (isTime(view.pausedForMs) && view.pausedForMs <= DAY_MS),
      "R35",
      `pausedForMs is ${String(view.pausedForMs)}, not a number of milliseconds of a day at most`,
    ],
    ...demandChecks(view),
  ]);
}

/**
 * What must be true of every snapshot: it is one consistent state of a ledger. Without a ledger only this process's own
 * member is known.
 */
export function snapshotViolation(group: string, snapshot: GroupSnapshot, ledger: boolean): Violation | undefined {
  const { members, memberCount, generation, capacity, held, adopted } = snapshot;
  const sum = members.reduce((total, member) => total + member.held, 0);
  if (!ledger) return first([aboutGroup(group, snapshot)]);
  const current = members.filter((member) => member.generation === generation).length;
  return first([
    aboutGroup(group, snapshot),
    [members.length === memberCount, "R1", `the snapshot has memberCount ${memberCount} and ${members.length} members`],
    [
      members.every((member, index) => member.rank === index),
      "R10",
      `the members' ranks in order are [${members.map((member) => member.rank).join(", ")}], not 0 .. ${memberCount - 1}`,
    ],
    [
      new Set(members.map((member) => member.incarnation)).size === members.length,
      "R3",
      "an incarnation is in the snapshot twice",
    ],
    [sum === held, "R7", `the members hold ${sum} together, and the snapshot has ${held}`],
    [adopted === current, "R9", `${current} members have the current generation, and the snapshot has ${adopted}`],
    [
      (snapshot.stored !== undefined) === members.some(({ max }) => max === null),
      "R36",
      `the snapshot has ${snapshot.stored ? "a copy" : "no copy"} of a limit record, and the members declare ${members.map(({ max }) => max).join(", ")}`,
    ],
    [
      capacity === capacityIn(snapshot),
      "R6",
      `capacity is ${capacity}, and the members declare ${[...new Set(members.map((member) => member.max ?? "nothing"))].slice(0, 8).join(", ")}`,
    ],
    [members.every((member) => isTime(member.silentMs)), "R4", "silentMs of a member is not a number >= 0"],
    wantCheck(members),
  ]);
}

/** The smaller one of the stored limit and of what the members declare (R6, R36). */
function capacityIn({ stored, members }: GroupSnapshot): number {
  const limits = members.map(({ max }) => max ?? stored?.values["max"] ?? 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

/** What a member may use (R19): of one that shares by demand all that it holds, unless too much is held (R24). */
function entitlementCheck({ entitled, held, demand, ...view }: MemberView): Check {
  const { fair } = fairOf({ ...view, memberCount: view.members });
  const even = Math.min(held, fair);
  const summary = `entitled is ${String(entitled)} where ${held} are held and fair is ${fair}`;
  // Where fair is 0, one that shares evenly may have a turn (R23), which the answer does not say.
  const hasTurn = fair === 0 && entitled === 1 && held > 0;
  return [entitled === even || hasTurn || (demand !== undefined && entitled === held), "R19", summary];
}

/** What must be true of every answer to a member that shares by demand. */
function demandChecks({ demand, capacity, members: memberCount, status, held }: MemberView): readonly Check[] {
  if (!demand) return [];
  const { waterLevel, reserve, extra, odd, tight, hungry, slots } = demand;
  // In the turn of a costly caller the division of a semaphore is another one, which the answer does not name (R34).
  const isScarce = waterLevel < capacity && !slots;
  const least = divide({ capacity, memberCount, wants: [] }).reserve;
  const flags: readonly Check[] = Object.entries({ odd, tight, hungry }).map(([name, value]) => [
    typeof value === "boolean",
    "R22",
    `demand.${name} is ${String(value)}, not a boolean`,
  ]);
  return [
    [
      isCount(waterLevel, 0) && waterLevel <= capacity,
      "R21",
      `demand.waterLevel is ${String(waterLevel)}, not within 0 .. ${capacity}`,
    ],
    [
      slots ? isCount(reserve, 0) && reserve <= least : reserve === least,
      "R21",
      `demand.reserve is ${String(reserve)}, and ${least} of ${capacity} are due to each of ${memberCount}`,
    ],
    [isCount(extra, 0), "R21", `demand.extra is ${String(extra)}, not a whole number >= 0`],
    [!isScarce || extra === 0, "R21", `demand.extra is ${extra} where the water level is ${waterLevel} of ${capacity}`],
    ...flags,
    [!isScarce || tight, "R22", `demand.tight is false where the water level is ${waterLevel} of ${capacity}`],
    [!hungry || tight, "R22", "demand.tight is false where demand.hungry is true"],
    [!odd || held > 0, "R23", "demand.odd is true in the answer to a member that holds nothing"],
    [status !== "agree", "R25", "the answer to a member that shares by demand is agree"],
    ...slotChecks(slots),
  ];
}

/** What must be true of what an answer has of slots. */
function slotChecks(slots: SlotView | undefined): readonly Check[] {
  if (!slots) return [];
  const { over, wanted, place, turns } = slots;
  return [
    [typeof over === "boolean", "R32", `demand.slots.over is ${String(over)}, not a boolean`],
    [typeof wanted === "boolean", "R33", `demand.slots.wanted is ${String(wanted)}, not a boolean`],
    [isCount(place, 0), "R33", `demand.slots.place is ${String(place)}, not a whole number >= 0`],
    [place === 0 || wanted, "R33", `demand.slots.place is ${place} where wanted is false`],
    [isCount(turns, 0), "R33", `demand.slots.turns is ${String(turns)}, not a whole number >= 0`],
  ];
}

/** What must be true of every hint to a member of a semaphore. */
export function hintViolation(hint: SlotHint | undefined): Violation | undefined {
  if (hint === undefined) return undefined;
  if (hint?.kind === "offer") {
    const { held, seq, waterLevel, wanted } = hint;
    return first([
      [isCount(held, 1), "R30", `held of an offer is ${String(held)}, not a whole number >= 1`],
      [isCount(seq, 1), "R30", `seq of an offer is ${String(seq)}, not a whole number >= 1`],
      [isCount(waterLevel, 0), "R30", `waterLevel of an offer is ${String(waterLevel)}, not a whole number >= 0`],
      [typeof wanted === "boolean", "R30", `wanted of an offer is ${String(wanted)}, not a boolean`],
    ]);
  }
  const { kind, give, waterLevel } = (hint ?? {}) as Partial<SlotAsk>;
  return first([
    [kind === "ask", "R31", `kind of a hint is ${String(kind)}`],
    [isCount(give, 0), "R31", `give of an ask is ${String(give)}, not a whole number >= 0`],
    [isCount(waterLevel, 0), "R31", `waterLevel of an ask is ${String(waterLevel)}, not a whole number >= 0`],
  ]);
}

/** What must be true of what a snapshot says of wants. */
function wantCheck(members: readonly MemberSnapshot[]): Check {
  const off = members.find(({ want }) => want !== undefined && !(isCount(want, 0) && wantOnGrid(want) === want));
  return [off === undefined, "R21", `want of ${off?.id} is ${String(off?.want)}, which is not on the grid`];
}

function aboutGroup(group: string, snapshot: GroupSnapshot): Check {
  const summary = `inspect of ${JSON.stringify(group)} answered about ${JSON.stringify(snapshot.group)}`;
  return [snapshot.group === group, "R15", summary];
}

/** What a group's answers were known to be when a call was sent. */
export interface GroupFloor {
  /** When this was answered, in milliseconds since the case began. */
  readonly answeredMs: number;
  readonly storeTimeMs: number;
  readonly generation: number;
}

/** A second of real time is too much to be mistaken about. */
const NOTICEABLE_MS = 1_000;

/**
 * Of two calls, the one sent after the other was answered sees no earlier time and no older generation; and time
 * passes. `clockErrorMs` is how far what two clients are answered at one instant may lie apart.
 */
export function orderViolation(
  floor: GroupFloor | undefined,
  sentMs: number,
  answer: Pick<MemberView, "storeTimeMs" | "generation">,
  clockErrorMs = 0,
): Violation | undefined {
  if (!floor) return undefined;
  const passedMs = sentMs - floor.answeredMs;
  const gainedMs = answer.storeTimeMs - floor.storeTimeMs;
  return first([
    [
      gainedMs >= -clockErrorMs,
      "R2",
      `the group's time is ${answer.storeTimeMs}, and an earlier call was answered ${floor.storeTimeMs}`,
    ],
    [
      passedMs < NOTICEABLE_MS || gainedMs >= passedMs / 2 - clockErrorMs,
      "R2",
      `the group's time went on by ${gainedMs} ms in ${Math.round(passedMs)} ms`,
    ],
    [
      answer.generation >= floor.generation,
      "R5",
      `the generation is ${answer.generation}, and an earlier call was answered ${floor.generation}`,
    ],
  ]);
}

function first(checks: readonly Check[]): Violation | undefined {
  const broken = checks.find(([holds]) => !holds);
  return broken && { rule: broken[1], summary: broken[2] };
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

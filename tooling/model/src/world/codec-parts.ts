import type { MemberView, Use, View } from "@dt/core";
import type { GroupRow, MemberRow } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import type { Basis, Raise } from "../holding.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";
import { claims, spentOf } from "./member.ts";
import { oldestEpoch, storeMs, TICK_MS } from "./time.ts";
import { type Call, PRESENT, type Request } from "./world.ts";

// What the codec puts of a message and of a share, and how it takes it back.

/** A generation that is not the group's present one, and not that of an answer under way, as it is put back. */
export const OLD = 1;
/**
 * Generations as they are put back: none, an old one, that of an answer under way, the group's. A new one is made from
 * the time and larger.
 */
export const GENERATIONS = [0, OLD, 2, PRESENT];

/** The place in {@link GENERATIONS} of a generation, `answered` being that of the answer under way. */
export function generationOf(value: number, present: number, answered: number): number {
  return value === present ? 3 : value === answered ? 2 : 1;
}

const KINDS = ["register", "sync", "farewell"] as const;

export function putRequest(
  request: Request,
  generation: number,
  seqs: readonly number[],
  tick: number,
  byDemand: boolean,
  out: ByteWriter,
): void {
  const { kind, seq, held, max, rejoin, use, want } = request;
  out.put((rejoin ? 64 : 0) | (KINDS.indexOf(kind) << 4) | (seqs.indexOf(seq) + 1));
  out.put((held << 4) | (request.generation === generation ? 1 : 0));
  out.put(max);
  putUse(use, held, tick, out);
  if (byDemand) putWant(want, out);
}

export function takeRequest(reader: ByteReader, tick: number, byDemand: boolean): Request {
  const first = reader.take();
  const second = reader.take();
  const max = reader.take();
  const kind = KINDS[(first >> 4) & 3] as Request["kind"];
  const generation = kind !== "sync" ? 0 : second & 1 ? PRESENT : OLD;
  const held = second >> 4;
  const use = takeUse(reader, held, tick);
  const want = byDemand ? takeWant(reader) : null;
  return { kind, seq: first & 15, held, generation, max, rejoin: first >= 64, use, want };
}

function putWant(want: number | null, out: ByteWriter): void {
  out.put(want === null ? 0 : want + 1);
}

function takeWant(reader: ByteReader): number | null {
  const code = reader.take();
  return code === 0 ? null : code - 1;
}

/**
 * What a group's row says of demand. It is hungry, and hunger is noted anew, by how long ago that was noted: two ticks
 * are as good as never.
 */
export function putDemand({ wants, hungryMs }: GroupRow, tick: number, out: ByteWriter): void {
  out.put((wants.length << 4) | agedTicks(hungryMs, tick));
  for (const [want, members] of wants) {
    putWant(want, out);
    out.put(members);
  }
}

export function takeDemand(reader: ByteReader, tick: number): Pick<GroupRow, "wants" | "hungryMs"> {
  const first = reader.take();
  const hungryMs = (first & 15) === 2 ? null : storeMs(tick - (first & 15));
  const wants = Array.from({ length: first >> 4 }, () => [takeWant(reader) as number, reader.take()] as const);
  return { wants, hungryMs };
}

type Turn = Pick<MemberRow, "want" | "odd" | "gaveUpMs" | "restUntilMs">;

/** Of a member that shares evenly. */
export const NO_TURN: Turn = { want: null, odd: false, gaveUpMs: 0, restUntilMs: 0 };

/** What a member's row says of demand. Who has rested may have a turn, however long ago its last one was. */
export function putTurn({ want, odd, gaveUpMs, restUntilMs }: MemberRow, tick: number, out: ByteWriter): void {
  putWant(want, out);
  if (want === null) return;
  const rest = Math.max(0, Math.ceil((restUntilMs - storeMs(tick)) / TICK_MS));
  out.put((odd ? 64 : 0) | ((rest > 0 ? agedTicks(gaveUpMs, tick) : 2) << 4) | rest);
}

export function takeTurn(reader: ByteReader, tick: number): Turn {
  const want = takeWant(reader);
  if (want === null) return NO_TURN;
  const turn = reader.take();
  const gaveUpMs = storeMs(tick - ((turn >> 4) & 3));
  return { want, odd: turn >= 64, gaveUpMs, restUntilMs: storeMs(tick + (turn & 15)) };
}

/** Ticks since this time of the store; 2 for more, and for never. */
function agedTicks(thenMs: number | null, tick: number): number {
  return thenMs === null ? 2 : Math.min(2, (storeMs(tick) - thenMs) / TICK_MS);
}

/**
 * Of what was used matters what is beyond what is held then, and only in an epoch in which somebody may still count:
 * tokens that became free in an older one are as good as any.
 */
function putUse(use: Use | undefined, held: number, tick: number, out: ByteWriter): void {
  const epoch = use ? epochCode(use.epoch, tick) : 0;
  out.put((epoch << 4) | (use && epoch > 1 ? Math.max(0, use.used - held) : 0));
}

function takeUse(reader: ByteReader, held: number, tick: number): Use | undefined {
  const code = reader.take();
  return code === 0 ? undefined : { epoch: epochOf(code >> 4, tick), used: held + (code & 15) };
}

/**
 * An epoch in which somebody used something: 1 for all in which nobody can count any more, then one after the other.
 */
export function epochCode(epoch: number, tick: number): number {
  return Math.max(1, epoch - oldestEpoch(tick) + 2);
}

export function epochOf(code: number, tick: number): number {
  return code - 2 + oldestEpoch(tick);
}

/**
 * Epochs until a raise may begin, counted from the oldest epoch anybody may count in: one that may begin in that may
 * have begun before.
 */
function epochsAhead(fromEpoch: number, tick: number): number {
  return Math.max(0, fromEpoch - oldestEpoch(tick));
}

export function putBasis(basis: Basis, out: ByteWriter): void {
  if (basis.kind === "held") out.put(basis.tokens);
  else {
    out.put(128 | (basis.members << 3) | basis.rank);
    out.put((basis.capacity << 4) | basis.fair);
    out.put(basis.most);
  }
}

export function takeBasis(reader: ByteReader): Basis {
  const first = reader.take();
  if (first < 128) return { kind: "held", tokens: first };
  const second = reader.take();
  const place = { members: (first >> 3) & 15, rank: first & 7, capacity: second >> 4 };
  return { kind: "split", ...place, fair: second & 15, most: reader.take() };
}

/** Of raises that begin at once only the last one, in which the others are. */
export function apart(raises: readonly Raise[], tick: number): readonly Raise[] {
  return raises.filter(({ fromEpoch }, index) => {
    const next = raises[index + 1];
    return !next || epochsAhead(next.fromEpoch, tick) > epochsAhead(fromEpoch, tick);
  });
}

export function putRaise({ fromEpoch, basis }: Raise, tick: number, out: ByteWriter): void {
  out.put(epochsAhead(fromEpoch, tick));
  putBasis(basis, out);
}

export function takeRaise(reader: ByteReader, tick: number): Raise {
  return { fromEpoch: oldestEpoch(tick) + reader.take(), basis: takeBasis(reader) };
}

/**
 * Of what was asked it matters only whether something was claimed, and what the store was told that was used in the
 * epoch that the process counts in.
 */
export function putAnswer(
  view: View,
  request: Request,
  epoch: number,
  tick: number,
  generation: number,
  out: ByteWriter,
): void {
  if (!isMember(view)) {
    out.put(0);
    return;
  }
  out.put((view.entitled << 4) | (claims(request) ? 4 : 0) | (view.status === "agree" ? 2 : 1));
  out.put((generationOf(view.generation, generation, view.generation) << 4) | view.members);
  out.put((view.rank << 4) | view.held);
  const ahead = epochsAhead(view.fromEpoch, tick);
  out.put((view.capacity << 4) | ahead);
  const spent = epoch >= oldestEpoch(tick) ? spentOf(epoch, request, view) : 0;
  out.put(((ahead === 0 ? 0 : view.early) << 4) | spent);
}

export function takeAnswer(reader: ByteReader, epoch: number, tick: number, sentTick: number): Call {
  const status = reader.take();
  const asked = status & 4 ? ({ kind: "register", held: 1 } as const) : ({ kind: "sync", held: 0 } as const);
  const request: Request = { ...asked, seq: 0, generation: 0, max: 0, rejoin: false, use: undefined, want: null };
  if (status === 0) {
    const view: View = { status: "unknown", storeTimeMs: 0 };
    return { request, sentTick, answer: view };
  }
  const first = reader.take();
  const second = reader.take();
  const third = reader.take();
  const fourth = reader.take();
  const memberCount = first & 15;
  const capacity = third >> 4;
  const view: MemberView = {
    status: status & 2 ? "agree" : "disagree",
    ...{
      generation: GENERATIONS[first >> 4] as number,
      members: memberCount,
      reportedMembers: memberCount,
      rank: second >> 4,
    },
    ...{
      held: second & 15,
      entitled: status >> 4,
      fromEpoch: oldestEpoch(tick) + (third & 15),
      early: fourth >> 4,
      capacity,
      storeTimeMs: 0,
    },
    ...{ clockErrorMs: 0, groupAgeMs: 0, learning: false, resumeLevel: null },
  };
  const use = fourth & 15 ? { epoch, used: Math.max(request.held, view.held) + (fourth & 15) } : undefined;
  return { request: { ...request, use }, sentTick, answer: view };
}

export function nibbles(reader: ByteReader): [number, number] {
  const byte = reader.take();
  return [byte >> 4, byte & 15];
}

/** The distinct numbers given, in order: what stands for a number is its place. */
export function distinct(values: readonly (number | undefined)[]): readonly number[] {
  const ordered: number[] = [];
  for (const value of values) if (value !== undefined && !ordered.includes(value)) ordered.push(value);
  return ordered.length > 1 ? ordered.sort((a, b) => a - b) : ordered;
}

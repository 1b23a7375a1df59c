import type { MemberView, View } from "@dt/core";
import type { GroupRow, MemberRow } from "@dt/core/ledger";
import type { Basis, Raise } from "../core.ts";
import { ByteReader, ByteWriter, compareSlices } from "./bytes.ts";
import { isValid } from "./grants.ts";
import { isMember } from "./member.ts";
import { learningMs } from "./store.ts";
import { FIRST_TICK, newestEpoch, oldestEpoch, storeMs, TICK_MS } from "./time.ts";
import {
  type Answer,
  type Call,
  EMPTY_ACCOUNT,
  type EpochAccount,
  PRESENT,
  type Process,
  type Request,
  type Setting,
  World,
} from "./world.ts";

/**
 * States as bytes, in a normal form: two worlds have the same bytes exactly when nothing that any rule asks can tell them apart.
 * - Processes are alike: each is a block with all that concerns it (its row, its messages), and blocks are sorted.
 * - Times are relative to the present; what is past its validity or stale age is just past it.
 * - Of generations only matters which are the group's present one; of sequence numbers only their order.
 * - What a share was does not matter any more once its validity has ended.
 */
export class Codec {
  readonly #setting: Setting;
  readonly #blocks = new ByteWriter(1_024);
  readonly #whole = new ByteWriter(1_024);
  /** The order in which the last `encode` put the processes. */
  order: number[] = [];

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** The bytes are valid until the next call. */
  encode(world: World): Uint8Array {
    const { bounds } = this.#setting;
    const out = this.#whole;
    const blocks = this.#blocks;
    blocks.clear();
    const starts = world.processes.map((process, slot) => {
      const start = blocks.length;
      this.#putProcess(world, process, world.rows[slot], blocks);
      return start;
    });
    const ends = starts.map((_, slot) => starts[slot + 1] ?? blocks.length);
    this.order = starts.map((_, slot) => slot);
    this.order.sort((a, b) =>
      compareSlices(blocks.bytes, starts[a] as number, ends[a] as number, starts[b] as number, ends[b] as number),
    );
    out.clear();
    const elapsed = world.tick - FIRST_TICK;
    out.put(bounds.ticks > 0 ? elapsed : elapsed % 12);
    out.put((world.faults << 4) | world.late);
    out.put((world.losses << 4) | world.resizes);
    for (const account of this.#openAccounts(world)) {
      const { granted, limit, split } = account;
      out.put((granted << 4) | limit);
      out.put(split === 0 ? 0 : generationOf(split, world.group?.generation ?? -1, -1));
    }
    this.#putGroup(world, out);
    for (const slot of this.order) out.append(blocks.bytes, starts[slot] as number, ends[slot] as number);
    return out.bytes.subarray(0, out.length);
  }

  decode(bytes: Uint8Array): World {
    const world = new World(this.#setting);
    const reader = new ByteReader(bytes);
    world.tick = FIRST_TICK + reader.take();
    [world.faults, world.late] = nibbles(reader);
    [world.losses, world.resizes] = nibbles(reader);
    world.accounts = [this.#keepsOldEpoch ? account(reader) : EMPTY_ACCOUNT, account(reader)];
    const livenessMs = this.#takeGroup(world, reader);
    for (let slot = 0; slot < world.processes.length; slot++) this.#takeProcess(world, slot, livenessMs, reader);
    const rows = world.rows.flatMap((row) => row ?? []);
    if (world.group) world.group.poolSize = rows.length;
    return world;
  }

  /** With greedy callers nobody grants in the old epoch once all have looked, and its account is closed. */
  get #keepsOldEpoch(): boolean {
    return this.#setting.bounds.idle || this.#setting.flaw === "epoch-goes-back";
  }

  #openAccounts({ accounts }: World): readonly EpochAccount[] {
    return this.#keepsOldEpoch ? accounts : [accounts[1]];
  }

  #putGroup(world: World, out: ByteWriter): void {
    const { group } = world;
    if (!group) {
      out.put(0);
      return;
    }
    const { quietRule } = this.#setting.bounds;
    out.put(1 + (quietRule ? Math.min(storeMs(world.tick) - group.lastMs, this.#quietLimitMs()) / TICK_MS : 0));
    out.put(group.held);
    out.put(group.adopted);
    out.put(group.capacity);
    out.put(Math.max(0, group.learnUntilMs - this.#countedFromMs(world)) / TICK_MS);
  }

  /** Returns the group's liveness time as of its last operation. */
  #takeGroup(world: World, reader: ByteReader): number {
    const since = reader.take();
    if (since === 0) return 0;
    const lastMs = storeMs(world.tick) - (since - 1) * TICK_MS;
    const held = reader.take();
    const adopted = reader.take();
    const capacity = reader.take();
    const learnUntilMs = lastMs + reader.take() * TICK_MS;
    world.group = {
      ...{ generation: PRESENT, poolSize: 0, held, adopted, capacity, largestPoolSize: 0, intervalMs: 1_000 },
      ...{ createdAtMs: learnUntilMs - learningMs(this.#setting), learnUntilMs, lastMs, offsetMs: 0, lapsedMs: 0 },
      quietLimitMs: this.#quietLimitMs(),
    };
    return lastMs;
  }

  #quietLimitMs(): number {
    const { quietRule, stale } = this.#setting.bounds;
    return quietRule ? (stale / 4) * TICK_MS : Number.POSITIVE_INFINITY;
  }

  #putProcess(world: World, process: Process, row: MemberRow | undefined, out: ByteWriter): void {
    const { call, late } = process;
    const gone = process.stage === "gone";
    const generation = world.group?.generation ?? -1;
    const seqs = order([row?.seq, call?.answer ? undefined : call?.request.seq, ...late.map(({ seq }) => seq)]);
    const stage = gone ? 2 : process.stage === "member" ? 1 : 0;
    const calls = gone || !call ? 0 : call.answer ? 2 : 1;
    out.put(stage | (row ? 8 : 0) | (calls << 4));
    if (!gone) this.#putLocal(world, process, seqs, out);
    if (row) {
      out.put(((seqs.indexOf(row.seq) + 1) << 4) | (row.rank << 1) | (row.generation === generation ? 1 : 0));
      out.put((row.held << 4) | row.max);
      out.put(Math.max(0, row.expiresAtMs - this.#countedFromMs(world)) / TICK_MS);
    }
    out.put(late.length);
    for (const request of late) putRequest(request, generation, seqs, out);
  }

  /**
   * The liveness time that the normal form counts from. With the quiet rule that of the group's last operation; without it time between two operations
   * counts in full, and the present is as good.
   */
  #countedFromMs({ group, tick }: World): number {
    const { lastMs, lapsedMs } = group as GroupRow;
    return this.#setting.bounds.quietRule ? lastMs - lapsedMs : storeMs(tick);
  }

  #putLocal(world: World, process: Process, seqs: readonly number[], out: ByteWriter): void {
    const { bounds } = this.#setting;
    const { call, holding } = process;
    const generation = world.group?.generation ?? -1;
    const answered = call?.answer && isMember(call.answer.view) ? call.answer.view.generation : -1;
    const longest = bounds.validity + (this.#setting.flaw === undefined ? 0 : bounds.deadline);
    out.put(Math.min(world.tick - process.renewedTick, longest));
    const age = newestEpoch(world.tick) - process.epoch;
    const old = process.epoch < oldestEpoch(world.tick);
    out.put(old ? 255 : (age << 4) | process.granted);
    out.put(
      (process.max << 4) | (holding._generation === 0 ? 0 : generationOf(holding._generation, generation, answered)),
    );
    out.put(holding._generation === 0 ? 0 : holding._capacity);
    if (this.#isDead(world, process)) out.put(255);
    else {
      out.put(holding._raises.length);
      putBasis(holding._current, out);
      for (const raise of holding._raises) putRaise(raise, world.tick, out);
    }
    if (!call) return;
    out.put(world.tick - call.sentTick);
    if (call.answer) putAnswer(call.answer, world.tick, generation, out);
    else putRequest(call.request, generation, seqs, out);
  }

  /** The share is past its validity: whatever is answered from now on is a raise in full. */
  #isDead(world: World, process: Process): boolean {
    return !isValid(world, this.#setting, process) && this.#setting.flaw === undefined;
  }

  #takeProcess(world: World, slot: number, livenessMs: number, reader: ByteReader): void {
    const process = world.processes[slot] as Process;
    const head = reader.take();
    process.stage = (head & 3) === 2 ? "gone" : (head & 3) === 1 ? "member" : "outside";
    if (process.stage !== "gone") this.#takeLocal(world, process, head, reader);
    if (head & 8) {
      const first = reader.take();
      const second = reader.take();
      const seq = first >> 4;
      world.rows[slot] = {
        ...{ id: String(slot), incarnation: String(slot), seq, rank: (first >> 1) & 7 },
        ...{ generation: first & 1 ? PRESENT : OLD, poolSize: 0, held: second >> 4, max: second & 15, level: null },
        ...{ staleAfterMs: this.#setting.bounds.stale * TICK_MS, resumeWithinMs: 0 },
        ...{ expiresAtMs: livenessMs + reader.take() * TICK_MS, standing: "holder", joined: 0 },
      };
      process.seq = Math.max(process.seq, seq);
    }
    const late = reader.take();
    const requests: Request[] = [];
    for (let index = 0; index < late; index++) requests.push(takeRequest(reader));
    process.late = requests;
    process.seq = requests.reduce((most, { seq }) => Math.max(most, seq), process.seq);
  }

  #takeLocal(world: World, process: Process, head: number, reader: ByteReader): void {
    process.renewedTick = world.tick - reader.take();
    const epoch = reader.take();
    if (epoch !== 255) {
      process.epoch = newestEpoch(world.tick) - (epoch >> 4);
      process.granted = epoch & 15;
    }
    const { holding } = process;
    const adopted = reader.take();
    process.max = adopted >> 4;
    holding._generation = GENERATIONS[adopted & 15] as number;
    holding._capacity = reader.take();
    holding._poolSize = holding._generation === 0 ? 0 : 1;
    const raises = reader.take();
    if (raises !== 255) {
      holding._current = takeBasis(reader);
      holding._raises = Array.from({ length: raises }, () => takeRaise(reader, world.tick));
    }
    const calls = (head >> 4) & 3;
    if (calls === 0) return;
    const sentTick = world.tick - reader.take();
    if (calls === 1) {
      const request = takeRequest(reader);
      process.seq = request.seq;
      process.call = { request, sentTick, answer: undefined };
    } else process.call = takeAnswer(reader, world.tick, sentTick);
  }
}

/** A generation that is not the group's present one, and not that of an answer under way, as it is put back. */
const OLD = 1;
/** Generations as they are put back: none, an old one, that of an answer under way, the group's. A new one is made from the time and larger. */
const GENERATIONS = [0, OLD, 2, PRESENT];

function generationOf(value: number, present: number, answered: number): number {
  return value === present ? 3 : value === answered ? 2 : 1;
}

function nibbles(reader: ByteReader): [number, number] {
  const byte = reader.take();
  return [byte >> 4, byte & 15];
}

function account(reader: ByteReader): EpochAccount {
  const first = reader.take();
  return { granted: first >> 4, limit: first & 15, split: GENERATIONS[reader.take()] as number };
}

/** The distinct numbers given, in order: what stands for a number is its place. */
function order(values: readonly (number | undefined)[]): readonly number[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort((a, b) => a - b);
}

const KINDS = ["register", "sync", "farewell"] as const;

function putRequest(request: Request, generation: number, seqs: readonly number[], out: ByteWriter): void {
  const { kind, seq, held, max } = request;
  out.put((KINDS.indexOf(kind) << 4) | (seqs.indexOf(seq) + 1));
  out.put((held << 4) | (request.generation === generation ? 1 : 0));
  out.put(max);
}

function takeRequest(reader: ByteReader): Request {
  const first = reader.take();
  const second = reader.take();
  const max = reader.take();
  const kind = KINDS[first >> 4] as Request["kind"];
  const generation = kind !== "sync" ? 0 : second & 1 ? PRESENT : OLD;
  return { kind, seq: first & 15, held: second >> 4, generation, max };
}

/** Epochs until a raise may begin, counted from the oldest epoch anybody may count in: one that may begin in that may have begun before. */
function epochsAhead(fromEpoch: number, tick: number): number {
  return Math.max(0, fromEpoch - oldestEpoch(tick));
}

function putBasis(basis: Basis, out: ByteWriter): void {
  if (basis.kind === "held") out.put(basis.tokens);
  else {
    out.put(128 | (basis.poolSize << 3) | basis.rank);
    out.put(basis.capacity);
  }
}

function takeBasis(reader: ByteReader): Basis {
  const first = reader.take();
  if (first < 128) return { kind: "held", tokens: first };
  return { kind: "agreed", poolSize: (first >> 3) & 15, rank: first & 7, capacity: reader.take() };
}

function putRaise({ fromEpoch, basis }: Raise, tick: number, out: ByteWriter): void {
  out.put(epochsAhead(fromEpoch, tick));
  putBasis(basis, out);
}

function takeRaise(reader: ByteReader, tick: number): Raise {
  return { fromEpoch: oldestEpoch(tick) + reader.take(), basis: takeBasis(reader) };
}

function putAnswer({ view, fromEpoch }: Answer, tick: number, generation: number, out: ByteWriter): void {
  if (!isMember(view)) {
    out.put(0);
    return;
  }
  out.put(view.status === "agree" ? 2 : 1);
  out.put((generationOf(view.generation, generation, view.generation) << 4) | view.poolSize);
  out.put((view.rank << 4) | view.held);
  out.put((view.capacity << 4) | epochsAhead(fromEpoch, tick));
}

function takeAnswer(reader: ByteReader, tick: number, sentTick: number): Call {
  const request: Request = { kind: "sync", seq: 0, held: 0, generation: 0, max: 0 };
  const status = reader.take();
  if (status === 0) {
    const view: View = { status: "unknown", storeTimeMs: 0 };
    return { request, sentTick, answer: { view, fromEpoch: 0 } };
  }
  const first = reader.take();
  const second = reader.take();
  const third = reader.take();
  const poolSize = first & 15;
  const capacity = third >> 4;
  const view: MemberView = {
    status: status === 2 ? "agree" : "disagree",
    ...{ generation: GENERATIONS[first >> 4] as number, poolSize, reportedPoolSize: poolSize, rank: second >> 4 },
    ...{ held: second & 15, fair: Math.floor(capacity / poolSize), capacity, storeTimeMs: 0 },
    ...{ groupAgeMs: 0, learning: false, resumeLevel: null },
  };
  return { request, sentTick, answer: { view, fromEpoch: oldestEpoch(tick) + (third & 15) } };
}

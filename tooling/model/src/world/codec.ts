import type { GroupRow, MemberRow } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import { ENDS_SHARES } from "../traps/flaw.ts";
import { ByteReader, ByteWriter, compareSlices } from "./bytes.ts";
import {
  apart,
  distinct,
  epochCode,
  epochOf,
  GENERATIONS,
  generationOf,
  NO_TURN,
  nibbles,
  OLD,
  putAnswer,
  putBasis,
  putDemand,
  putRaise,
  putRequest,
  putTurn,
  takeAnswer,
  takeBasis,
  takeDemand,
  takeRaise,
  takeRequest,
  takeTurn,
} from "./codec-parts.ts";
import { isValid } from "./grants.ts";

import { learningMs } from "./store.ts";
import { CLOCK_ERROR_MS, FIRST_TICK, newestEpoch, oldestEpoch, storeMs, TICK_MS } from "./time.ts";
import {
  EMPTY_ACCOUNT,
  type EpochAccount,
  newProcess,
  PRESENT,
  type Process,
  type Request,
  type Setting,
  World,
} from "./world.ts";

/**
 * States as bytes, in a normal form: two worlds have the same bytes only when nothing that any rule asks can tell them
 * apart.
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
    if (world.group) {
      world.group.memberCount = rows.length;
      world.group.clockErrorMs = rows.length > 0 ? CLOCK_ERROR_MS : 0;
    }
    return world;
  }

  /** Otherwise what the rows say of demand is the same in all states. */
  get #hasDemand(): boolean {
    return this.#setting.bounds.demand > 0;
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
      if (this.#setting.bounds.agedData) out.put(Math.min(world.tick - world.lostTick, this.#longAgo));
      return;
    }
    const { quietRule } = this.#setting.bounds;
    out.put(1 + (quietRule ? Math.min(storeMs(world.tick) - group.lastMs, this.#quietLimitMs()) / TICK_MS : 0));
    out.put(group.held);
    out.put(group.adopted);
    out.put(group.capacity);
    out.put(Math.max(0, group.learnUntilMs - this.#countedFromMs(world)) / TICK_MS);
    this.#putFreed(group, world.tick, out);
    // Only in an empty group: that of a member is the same as that of one that just went.
    out.put(group.memberCount === 0 && group.aheadUntilMs > storeMs(world.tick) ? 1 : 0);
    if (this.#hasDemand) putDemand(group, world.tick, out);
  }

  /**
   * Of tokens that became free in an epoch in which nobody can count any more it does not matter how many were used; as
   * many as the largest capacity are all.
   */
  #putFreed({ freedEpoch, spent }: GroupRow, tick: number, out: ByteWriter): void {
    const epoch = freedEpoch === null ? 0 : epochCode(freedEpoch, tick);
    out.put((epoch << 4) | (epoch > 1 ? Math.min(spent, this.#setting.bounds.max) : 0));
  }

  /** Returns the group's liveness time as of its last operation. */
  #takeGroup(world: World, reader: ByteReader): number {
    const since = reader.take();
    if (since === 0) {
      if (this.#setting.bounds.agedData) world.lostTick = world.tick - reader.take();
      return 0;
    }
    const lastMs = storeMs(world.tick) - (since - 1) * TICK_MS;
    const held = reader.take();
    const adopted = reader.take();
    const capacity = reader.take();
    const learnUntilMs = lastMs + reader.take() * TICK_MS;
    const freed = reader.take();
    const aheadUntilMs = reader.take() > 0 ? storeMs(world.tick) + CLOCK_ERROR_MS : 0;
    const demand = this.#hasDemand ? takeDemand(reader, world.tick) : { wants: [], hungryMs: null };
    const learnFromMs = learnUntilMs - learningMs(this.#setting);
    const { bounds } = this.#setting;
    world.group = {
      ...{ generation: PRESENT, memberCount: 0, held, adopted, capacity, largestMemberCount: 0, intervalMs: 1_000 },
      ...{ createdAtMs: learnFromMs, learnFromMs, learnUntilMs, lastMs, offsetMs: 0, lapsedMs: 0 },
      ...{ quietLimitMs: this.#quietLimitMs(), longestStaleMs: bounds.stale * TICK_MS },
      ...{ clockErrorMs: 0, aheadUntilMs, repairs: 0, pausedUntilMs: 0, stored: null },
      ...{ freedEpoch: freed === 0 ? null : epochOf(freed >> 4, world.tick), spent: freed & 15 },
      ...demand,
    };
    return lastMs;
  }

  /**
   * Ticks after which a loss of data is as good as none: a share that was lost has ended, and its last epoch is over.
   */
  get #longAgo(): number {
    return this.#setting.bounds.learning + 3;
  }

  #quietLimitMs(): number {
    const { quietRule, stale } = this.#setting.bounds;
    return quietRule ? (stale / 4) * TICK_MS : Number.POSITIVE_INFINITY;
  }

  #putProcess(world: World, process: Process, row: MemberRow | undefined, out: ByteWriter): void {
    const { call, late } = process;
    const gone = process.stage === "gone";
    const generation = world.group?.generation ?? -1;
    const seqs = distinct([row?.seq, call?.answer ? undefined : call?.request.seq, ...late.map(({ seq }) => seq)]);
    const stage = gone ? 2 : process.stage === "member" ? 1 : 0;
    const calls = gone || !call ? 0 : call.answer ? 2 : 1;
    out.put(stage | (process.byDemand ? 4 : 0) | (row ? 8 : 0) | (calls << 4));
    if (!gone) this.#putLocal(world, process, seqs, out);
    if (row) {
      out.put(((seqs.indexOf(row.seq) + 1) << 4) | (row.rank << 1) | (row.generation === generation ? 1 : 0));
      out.put((row.held << 4) | (row.max ?? 0));
      out.put(Math.max(0, row.expiresAtMs - this.#countedFromMs(world)) / TICK_MS);
      if (this.#hasDemand) putTurn(row, world.tick, out);
    }
    out.put(late.length);
    for (const request of late) putRequest(request, generation, seqs, world.tick, this.#hasDemand, out);
  }

  /**
   * The liveness time that the normal form counts from. With the quiet rule that of the group's last operation; without
   * it time between two operations counts in full, and the present is as good.
   */
  #countedFromMs({ group, tick }: World): number {
    const { lastMs, lapsedMs } = group as GroupRow;
    return this.#setting.bounds.quietRule ? lastMs - lapsedMs : storeMs(tick);
  }

  #putLocal(world: World, process: Process, seqs: readonly number[], out: ByteWriter): void {
    const { bounds } = this.#setting;
    const { call, holding } = process;
    const generation = world.group?.generation ?? -1;
    const answered = call?.answer && isMember(call.answer) ? call.answer.generation : -1;
    out.put(Math.min(world.tick - process.renewedTick, bounds.validity));
    const age = newestEpoch(world.tick) - process.epoch;
    const old = process.epoch < oldestEpoch(world.tick);
    out.put(old ? 255 : (age << 4) | process.charged);
    out.put(
      (process.max << 4) | (holding.generation === 0 ? 0 : generationOf(holding.generation, generation, answered)),
    );
    out.put(holding.generation === 0 ? 0 : holding.capacity);
    if (this.#isDead(world, process)) out.put(255);
    else {
      const { current } = holding.state;
      const raises = apart(holding.state.raises, world.tick);
      out.put(raises.length);
      putBasis(current, out);
      for (const raise of raises) putRaise(raise, world.tick, out);
    }
    if (!call) return;
    out.put(world.tick - call.sentTick);
    if (call.answer) putAnswer(call.answer, call.request, process.epoch, world.tick, generation, out);
    else putRequest(call.request, generation, seqs, world.tick, this.#hasDemand, out);
  }

  /** The share is past its validity: whatever is answered from now on is a raise in full. */
  #isDead(world: World, process: Process): boolean {
    return !isValid(world, this.#setting, process) && ENDS_SHARES.has(this.#setting.flaw);
  }

  #takeProcess(world: World, slot: number, livenessMs: number, reader: ByteReader): void {
    const head = reader.take();
    const { bounds } = this.#setting;
    const process = newProcess(bounds.max, (head & 4) > 0);
    world.processes[slot] = process;
    process.stage = (head & 3) === 2 ? "gone" : (head & 3) === 1 ? "member" : "outside";
    if (process.stage !== "gone") this.#takeLocal(world, process, head, reader);
    if (head & 8) {
      const first = reader.take();
      const second = reader.take();
      const seq = first >> 4;
      world.rows[slot] = {
        ...{ id: String(slot), incarnation: String(slot), seq, rank: (first >> 1) & 7 },
        ...{ generation: first & 1 ? PRESENT : OLD, memberCount: 0, held: second >> 4, max: second & 15, level: null },
        ...{ staleAfterMs: this.#setting.bounds.stale * TICK_MS, clockErrorMs: CLOCK_ERROR_MS, resumeWithinMs: 0 },
        ...{ expiresAtMs: livenessMs + reader.take() * TICK_MS, standing: "holder", joined: 0 },
        ...(this.#hasDemand ? takeTurn(reader, world.tick) : NO_TURN),
        activity: null,
      };
      process.seq = Math.max(process.seq, seq);
    }
    const late = reader.take();
    const requests: Request[] = [];
    for (let index = 0; index < late; index++) requests.push(takeRequest(reader, world.tick, this.#hasDemand));
    process.late = requests;
    process.seq = requests.reduce((most, { seq }) => Math.max(most, seq), process.seq);
  }

  #takeLocal(world: World, process: Process, head: number, reader: ByteReader): void {
    process.renewedTick = world.tick - reader.take();
    const epoch = reader.take();
    if (epoch !== 255) {
      process.epoch = newestEpoch(world.tick) - (epoch >> 4);
      process.charged = epoch & 15;
    }
    const { holding } = process;
    const adopted = reader.take();
    process.max = adopted >> 4;
    const generation = GENERATIONS[adopted & 15] as number;
    const capacity = reader.take();
    const raises = reader.take();
    const held =
      raises === 255
        ? {}
        : {
            current: takeBasis(reader),
            raises: Array.from({ length: raises }, () => takeRaise(reader, world.tick)),
          };
    holding.restore({ ...holding.state, generation, capacity, members: generation === 0 ? 0 : 1, ...held });
    const calls = (head >> 4) & 3;
    if (calls === 0) return;
    const sentTick = world.tick - reader.take();
    if (calls === 1) {
      const request = takeRequest(reader, world.tick, this.#hasDemand);
      process.seq = request.seq;
      process.call = { request, sentTick, answer: undefined };
    } else process.call = takeAnswer(reader, process.epoch, world.tick, sentTick);
  }
}

function account(reader: ByteReader): EpochAccount {
  const first = reader.take();
  return { granted: first >> 4, limit: first & 15, split: GENERATIONS[reader.take()] as number };
}

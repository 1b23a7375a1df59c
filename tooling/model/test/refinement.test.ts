import type { Use, View } from "@dt/core";
import type { GroupRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import { Random } from "@dt-tooling/simulator/random";
import { isMember } from "@dt-tooling/simulator/requests";
import { describe, expect, it } from "vitest";
import { type Bounds, DEFAULT_BOUNDS } from "../src/bounds.ts";
import { Codec } from "../src/world/codec.ts";
import { epochCode } from "../src/world/codec-parts.ts";
import { isValid, look } from "../src/world/grants.ts";
import { receive, send, useOf } from "../src/world/member.ts";
import { dataSinceMs, workOn } from "../src/world/store.ts";
import { newestEpoch, oldestEpoch } from "../src/world/time.ts";
import { allRules, EMPTY_ACCOUNT, newProcess, type Process, type Setting, World } from "../src/world/world.ts";
import { type RealSlot, RealWorld } from "./support/real-world.ts";

/**
 * The model's world and real throttles on the real ledger, moved in step. After every move the model's world is what
 * its normal form says, and no more.
 */
class Pair {
  readonly setting: Setting;
  readonly codec: Codec;
  readonly real: RealWorld;
  world: World;
  /** The real process of each slot of the model. */
  slots: RealSlot[];
  /** What was compared, so that a run that does nothing cannot pass. */
  readonly seen: Record<string, number> = {};
  readonly #random: Random;

  constructor(bounds: Bounds, random: Random) {
    this.#random = random;
    this.setting = { bounds, ledger, flaw: undefined, rules: allRules(bounds) };
    this.codec = new Codec(this.setting);
    this.world = new World(this.setting);
    this.real = new RealWorld(bounds.members, bounds.max, bounds.losses > 0, dataSinceMs(this.world, this.setting));
    this.slots = [...this.real.slots];
  }

  slot(index: number): RealSlot {
    return this.slots[index] as RealSlot;
  }

  process(index: number): Process {
    return this.world.own(index);
  }

  async send(index: number): Promise<void> {
    await this.real.send(this.slot(index));
    const { request } = send(this.world, this.setting, this.process(index));
    this.#compareUse(request.use, this.slot(index).pending?.use);
  }

  #compareUse(model: Use | undefined, real: Use | undefined): void {
    const figures = (use: Use | undefined, tick: number): object | undefined => {
      if (!use) return undefined;
      const epoch = epochCode(use.epoch, tick);
      return { epoch, used: epoch > 1 ? use.used : 0 };
    };
    const told = figures(model, this.world.tick);
    expect(told).toEqual(figures(real, this.real.now));
    if (model && model.epoch === newestEpoch(this.world.tick)) this.count(`used ${model.used > 0 ? "some" : "none"}`);
  }

  work(index: number): void {
    const process = this.process(index);
    const { call } = process;
    if (!call) throw new Error("no call is under way");
    const view = workOn(this.world, this.setting, index, call.request) as View;
    process.call = { ...call, answer: view };
    const real = this.real.work(this.slot(index)) as View;
    this.count(`answer: ${real.status}`);
    const figures = (view: View, tick: number): object => {
      if (!isMember(view)) return { status: view.status };
      const { status, members, held, entitled, capacity, learning } = view;
      const waits = Math.max(0, view.fromEpoch - oldestEpoch(tick));
      const early = waits > 0 ? view.early : 0;
      if (early > 0) this.count("early");
      return { status, members, held, entitled, capacity, learning, waits, early };
    };
    expect(figures(view, this.world.tick)).toEqual(figures(real, this.real.now));
  }

  async receive(index: number): Promise<void> {
    const process = this.process(index);
    receive(this.world, this.setting, process);
    await this.real.receive(this.slot(index));
    // On `unknown` the real one registers again in the same turn.
    if (this.slot(index).pending) send(this.world, this.setting, process);
  }

  async giveUp(index: number, kept: boolean): Promise<void> {
    const process = this.process(index);
    if (kept && process.call) {
      process.late = [...process.late, process.call.request];
      this.real.keep(this.slot(index));
    }
    process.call = undefined;
    await this.real.giveUp(this.slot(index));
  }

  arriveLate(index: number): void {
    const process = this.process(index);
    const [request, ...late] = process.late;
    if (!request) throw new Error("nothing is late");
    process.late = late;
    workOn(this.world, this.setting, index, request);
    this.slot(index).late.shift()?.();
  }

  async leave(index: number): Promise<void> {
    const process = this.process(index);
    const { max, seq } = process;
    const farewell = {
      kind: "farewell",
      seq: seq + 1,
      held: 0,
      generation: 0,
      max,
      rejoin: false,
      want: null,
    } as const;
    workOn(this.world, this.setting, index, { ...farewell, use: useOf(process, this.setting) });
    this.world.processes[index] = newProcess(max);
    this.slots[index] = await this.real.leave(this.slot(index));
  }

  loseData(): void {
    this.world.group = undefined;
    this.world.rows = this.world.rows.map(() => undefined);
    this.real.loseData();
  }

  tick(): void {
    this.world.tick += 1;
    const even = this.world.tick % 2 === 0;
    this.world.accounts = even ? [this.world.accounts[1], EMPTY_ACCOUNT] : [EMPTY_ACCOUNT, this.world.accounts[1]];
    this.real.tick(() => this.look());
  }

  /** Every caller takes all there is, or nothing, or does not even look. */
  look(): void {
    for (const [index, slot] of this.slots.entries()) {
      const chance = this.#random.next();
      if (!slot.started || chance < 0.3) continue;
      const takes = chance > 0.5;
      const process = this.process(index);
      const before = process.epoch === this.#epoch ? process.charged : 0;
      look(this.world, this.setting, index, this.#epoch, takes);
      const granted = this.process(index).charged - before;
      expect(this.real.look(slot, takes)).toBe(granted);
      this.#compareOne(index, this.process(index), this.real.group()?.generation);
    }
  }

  /** The epoch of everybody who looks now. */
  get #epoch(): number {
    return this.real.isLate ? oldestEpoch(this.world.tick) : newestEpoch(this.world.tick);
  }

  /** Some look, the model forgets what its normal form does not say, and the two worlds are compared. */
  compare(): void {
    this.look();
    expect(this.world.violation).toBeUndefined();
    const { tick } = this.world;
    const next = this.codec.decode(this.codec.encode(this.world));
    // Unbounded time goes round; the real one does not.
    const { order } = this.codec;
    this.slots = order.map((index) => this.slot(index));
    this.world = next;
    expect(next.tick % 12).toBe(tick % 12);
    const group = this.real.group();
    expect(this.world.group !== undefined).toBe(group !== undefined);
    if (group)
      expect(this.world.group).toMatchObject({
        ...{ memberCount: group.memberCount, held: group.held, adopted: group.adopted, capacity: group.capacity },
      });
    expect(this.#freed(this.world.group, this.world.tick)).toEqual(this.#freed(group, this.real.now));
  }

  /** What a group's row says of freed tokens, as far as it matters. */
  #freed(row: GroupRow | undefined, tick: number): object | undefined {
    if (!row) return undefined;
    const epoch = row.freedEpoch === null ? null : epochCode(row.freedEpoch, tick);
    return { epoch, spent: epoch !== null && epoch > 1 ? Math.min(row.spent, this.setting.bounds.max) : 0 };
  }

  #compareOne(index: number, process: Process, generation: number | undefined): void {
    const status = this.slot(index).throttle.status();
    const valid = isValid(this.world, this.setting, process);
    expect(status.validForMs > 0).toBe(valid);
    expect(status.generation === generation).toBe(process.holding.generation === this.world.group?.generation);
    if (!valid) return;
    this.count(process.holding.isExact ? "agreed" : "held");
    expect(status.held).toBe(process.holding.held);
    expect(status.share).toBe(process.holding.shareAt(process.max, process.epoch).tokens);
  }

  count(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
  }
}

/** A random walk; which moves are possible is asked of the model. */
async function walk(pair: Pair, random: Random, moves: number, losses: boolean): Promise<void> {
  let calm = 0;
  for (let move = 0; move < moves; move++) {
    const index = Math.floor(random.next() * pair.world.processes.length);
    const process = pair.world.process(index);
    const slow = process.call !== undefined && process.call.sentTick < pair.world.tick;
    const chance = random.next();
    const mayTick = pair.world.processes.every(({ call }) => !call || call.sentTick === pair.world.tick);
    // A first call that takes longer than the clock error leaves the clock unknown, which the model does not have.
    const mayBeSlow = pair.slots.every(({ started, pending }) => started || !pending);
    if (losses && calm++ > 60 && chance < 0.05 && mayTick && mayBeSlow) {
      // Some time passes with it: a generation is made from the time.
      pair.loseData();
      pair.tick();
      pair.count("loss");
      calm = 0;
    } else if (chance < 0.02 && mayBeSlow) {
      for (const [other, { call }] of pair.world.processes.entries()) if (call) await pair.giveUp(other, false);
      for (let tick = 0; tick < 5; tick++) pair.tick();
      pair.count("silence");
    } else if (process.late.length > 0 && chance < 0.15) {
      pair.arriveLate(index);
      pair.count("late");
    } else if (chance < 0.2 && mayTick && mayBeSlow) {
      pair.tick();
    } else if (chance < 0.23 && !process.call && process.late.length === 0 && pair.slot(index).started) {
      await pair.leave(index);
      pair.count("leave");
    } else if (!process.call) await pair.send(index);
    else if (!process.call.answer && chance < 0.75) pair.work(index);
    else if (process.call.answer && chance < 0.9) {
      await pair.receive(index);
      pair.count(slow ? "slow answer" : "answer");
    } else {
      const kept = !process.call.answer && process.late.length < 2 && chance > 0.9;
      await pair.giveUp(index, kept);
      pair.count("given up");
    }
    pair.compare();
  }
}

describe("the model's members, in their normal form,", () => {
  it.each([
    { max: 4, losses: 0 },
    { max: 5, losses: 0 },
    { max: 2, losses: 0 },
    { max: 4, losses: 15 },
  ])("do what real throttles on the real ledger do (max $max, losses $losses)", async ({ max, losses }) => {
    const bounds: Bounds = { ...DEFAULT_BOUNDS, max, losses, validity: 2, stale: 5, learning: 2, late: 15 };
    const seen: Record<string, number> = {};
    for (let seed = 1; seed <= 8; seed++) {
      const random = new Random(seed * 7919 + max);
      const pair = new Pair(bounds, random);
      try {
        await walk(pair, random, 250, losses > 0);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
      for (const [what, count] of Object.entries(pair.seen)) seen[what] = (seen[what] ?? 0) + count;
    }
    for (const what of ["agreed", "held", "answer: agree", "answer: disagree", "answer: unknown", "late", "leave"])
      expect(seen[what] ?? 0, what).toBeGreaterThan(10);
    for (const what of ["early", "used some", "used none"]) expect(seen[what] ?? 0, what).toBeGreaterThan(10);
    for (const what of ["slow answer", "given up", ...(losses > 0 ? ["loss"] : [])])
      expect(seen[what] ?? 0, what).toBeGreaterThan(5);
  });
});

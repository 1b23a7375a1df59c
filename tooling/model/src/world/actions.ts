import { isMember } from "@dt-tooling/simulator/requests";
import type { Bounds } from "../bounds.ts";
import { lookGreedily } from "./grants.ts";
import { lookedAt, lookedAtOften } from "./idle.ts";
import { receive, send, useOf, type Wish, wishesOf } from "./member.ts";
import { workOn } from "./store.ts";
import { FIRST_TICK, newestEpoch } from "./time.ts";
import {
  type Call,
  EMPTY_ACCOUNT,
  newProcess,
  PRESENT,
  type Process,
  type Request,
  type Setting,
  type World,
} from "./world.ts";

/** Told of every step that can be made from a state: its kind, and the world after it. */
export type Emit = (kind: string, world: World) => void;

/**
 * Every step from a state. Two steps that do not touch each other are made in one order only, unless `bounds.naive`:
 * what a process does by itself (send, receive, look) concerns nobody else until the store works on its request or a
 * tick ends, so that a call that is answered within a tick is one step; a call that takes longer is three
 * (docs/model.md).
 */
export function steps(world: World, setting: Setting, emit: Emit): void {
  const { bounds } = setting;
  const done = (kind: string, next: World): void => {
    if (!next.violation && !bounds.idle) lookGreedily(next, setting);
    replaceGone(next, setting);
    emit(kind, next);
  };
  for (let slot = 0; slot < world.processes.length; slot++) {
    const process = world.process(slot);
    lateRequests(world, setting, slot, done);
    if (process.stage === "gone") continue;
    if (bounds.idle || setting.flaw === "epoch-goes-back") looks(world, setting, slot, done);
    if (process.call) underWay(world, setting, slot, process.call, done);
    else for (const wish of wishesOf(world, setting, process)) newCalls(world, setting, slot, wish, done);
    departures(world, setting, slot, done);
    if (world.resizes > 0) resize(world, setting, slot, done);
  }
  if (world.losses > 0 && world.group) loseData(world, done);
  if (mayTick(world, bounds)) tick(world, setting, done);
}

/** The process looks at its clock and takes what it may. */
function looks(world: World, setting: Setting, slot: number, emit: Emit): void {
  for (const next of lookedAt(world, setting, slot)) emit("look", next);
}

/** A call begins. It is answered within the tick, or one of its messages is lost or takes longer. */
function newCalls(world: World, setting: Setting, slot: number, wish: Wish, emit: Emit): void {
  const { idle, naive } = setting.bounds;
  const begin = (text: string): World => {
    const next = world.fork();
    const { request } = send(next, setting, next.own(slot), wish);
    next.tell(slot, `${describe(request)}${text}`);
    return next;
  };
  const sent = (text: string): World => {
    const next = begin(text);
    next.faults -= 1;
    return next;
  };
  if (naive) {
    emit("send", begin("  (is under way)"));
    return;
  }
  for (const copied of world.late > 0 ? [false, true] : [false]) {
    const begun = begin(copied ? "  (and a copy of it may arrive later)" : "");
    if (copied) keepLate(begun, slot);
    for (const next of idle ? lookedAtOften(begun, setting, slot) : [begun]) {
      if (!next.violation) answerAtOnce(next, setting, slot);
      emit(copied ? "call, doubled" : "call", next);
    }
  }
  if (world.late > 0) giveUp(begin(""), setting, slot, emit, [true]);
  if (world.faults === 0) return;
  emit("send", sent("  (is under way)"));
  const unread = sent("");
  work(unread, setting, slot);
  unread.tell(slot, "  (the answer is under way)");
  emit("call, slow answer", unread);
  const lost = sent("");
  work(lost, setting, slot);
  lost.tell(slot, "  (the answer is lost)");
  lost.process(slot).call = undefined;
  emit("call, answer lost", lost);
  giveUp(sent(""), setting, slot, emit, [false]);
}

function answerAtOnce(next: World, setting: Setting, slot: number): void {
  work(next, setting, slot);
  receive(next, setting, next.own(slot));
}

/** The store works on the request, or the answer arrives, or the process gives up. */
function underWay(world: World, setting: Setting, slot: number, call: Call, emit: Emit): void {
  const { naive } = setting.bounds;
  const slow = world.tick > call.sentTick;
  if (call.answer) {
    const next = world.fork();
    next.own(slot);
    receive(next, setting, next.process(slot));
    emit("receive", next);
  } else if (slow || naive) {
    for (const copied of world.late > 0 ? [false, true] : [false]) {
      for (const read of naive ? [false] : [true, false]) {
        const next = world.fork();
        next.own(slot);
        next.tell(slot, `${describe(call.request)}  (arrives)`);
        if (copied) keepLate(next, slot);
        work(next, setting, slot);
        if (read) receive(next, setting, next.process(slot));
        emit(copied ? "arrive, doubled" : "arrive", next);
      }
    }
  }
  if (slow || naive || call.answer) giveUp(world, setting, slot, emit);
}

/** The process gives its call up. What the store has not worked on is lost, or arrives later. */
function giveUp(world: World, setting: Setting, slot: number, emit: Emit, kinds = mayBeLate(world, slot)): void {
  const { request, sentTick } = world.process(slot).call as Call;
  for (const kept of kinds) {
    const next = world.fork();
    next.own(slot);
    if (kept) keepLate(next, slot);
    else if (setting.bounds.naive && sentTick === world.tick && next.faults-- === 0) continue;
    next.tell(slot, `gives up: ${describe(request)}${kept ? "  (may arrive later)" : ""}`);
    next.process(slot).call = undefined;
    emit(kept ? "give up, late" : "give up", next);
  }
}

/** A request that its sender does not wait for any more, or a copy of one, arrives. */
function lateRequests(world: World, setting: Setting, slot: number, emit: Emit): void {
  for (const request of world.process(slot).late) {
    const next = world.fork();
    const process = next.own(slot);
    process.late = process.late.filter((other) => other !== request);
    next.tell(slot, `${describe(request)}  (arrives late)`);
    workOn(next, setting, slot, request);
    emit("late", next);
  }
}

/**
 * A graceful stop: nothing is granted from then on (member rule 6; `Membership.leave`). A crash is no step of its
 * own: it is a member that takes no further one, and grants what it may until its share has expired.
 */
function departures(world: World, setting: Setting, slot: number, emit: Emit): void {
  const { call, late } = world.process(slot);
  if (!world.rows[slot] && !call && late.length === 0) return;
  // Greedy callers first take what an answer gives them that is there. Idle ones need not.
  if (!setting.bounds.idle && call?.answer && call.sentTick === world.tick) return;
  for (const kept of mayBeLate(world, slot)) {
    const left = world.fork();
    left.own(slot);
    if (kept) keepLate(left, slot);
    left.tell(slot, "leaves");
    const process = world.process(slot);
    workOn(left, setting, slot, farewell(left.process(slot), setting));
    if (setting.flaw === "grants-after-leaving") left.processes[slot] = process;
    emit("leave", left);
    // A farewell of which the store knows nobody, and never will, says nothing.
    if (world.late > (kept ? 1 : 0) && (world.rows[slot] || late.length > 0 || kept)) {
      const leaving = world.fork();
      leaving.own(slot);
      if (kept) keepLate(leaving, slot);
      leaving.tell(slot, "leaves; its farewell may arrive later");
      addLate(leaving, slot, farewell(leaving.process(slot), setting));
      emit("leave, late", leaving);
    }
  }
}

/** Of a process that is gone nothing is left: another one may come in its place. */
function replaceGone(world: World, { bounds }: Setting): void {
  for (let slot = 0; slot < world.processes.length; slot++) {
    const { stage, late, byDemand } = world.process(slot);
    if (stage === "gone" && late.length === 0 && !world.rows[slot])
      world.processes[slot] = newProcess(bounds.max, byDemand);
  }
}

function resize(world: World, setting: Setting, slot: number, emit: Emit): void {
  const next = world.fork();
  const process = next.own(slot);
  process.max = process.max === setting.bounds.max ? setting.bounds.max - 1 : setting.bounds.max;
  next.resizes -= 1;
  next.tell(slot, `declares max ${process.max} from now on`);
  emit("resize", next);
}

function loseData(world: World, emit: Emit): void {
  const next = world.fork();
  next.losses -= 1;
  next.lostTick = world.tick;
  next.group = undefined;
  next.rows = next.rows.map(() => undefined);
  next.story?.push("the store loses its data");
  emit("loss of data", next);
}

function mayTick(world: World, { ticks, deadline }: Bounds): boolean {
  if (ticks > 0 && world.tick - FIRST_TICK >= ticks) return false;
  return world.processes.every(({ call }) => !call || world.tick - call.sentTick < deadline);
}

function tick(world: World, { bounds }: Setting, emit: Emit): void {
  const next = world.fork();
  if (bounds.naive) next.faults -= world.processes.filter(({ call }) => call?.sentTick === world.tick).length;
  if (next.faults < 0) return;
  next.tick += 1;
  if (newestEpoch(next.tick) > newestEpoch(world.tick)) next.accounts = [next.accounts[1], EMPTY_ACCOUNT];
  else next.accounts[0] = EMPTY_ACCOUNT;
  next.story?.push(
    newestEpoch(next.tick) > newestEpoch(world.tick)
      ? `-- epoch ${newestEpoch(next.tick)} begins, by some clocks`
      : `-- all clocks are in epoch ${newestEpoch(next.tick)}`,
  );
  emit("tick", next);
}

/** The store works on the call under way. */
function work(world: World, setting: Setting, slot: number): void {
  const process = world.process(slot);
  const call = process.call as Call;
  const before = world.group?.generation;
  const view = workOn(world, setting, slot, call.request);
  if (!view) throw new Error("a farewell is not awaited");
  process.call = { ...call, answer: view };
  if (isMember(view))
    world.tell(
      slot,
      `  <- ${view.status}${view.generation === before ? "" : ", a new generation"}, rank ${view.rank} of ${view.members}, held ${view.held}, entitled ${view.entitled}, capacity ${view.capacity}; raises from epoch ${view.fromEpoch}, ${view.early} early`,
    );
  else world.tell(slot, `  <- ${view.status}`);
}

/** Whether the request under way, which its sender gives up, may still arrive. */
function mayBeLate(world: World, slot: number): readonly boolean[] {
  const { call } = world.process(slot);
  return call && !call.answer && world.late > 0 ? [false, true] : [false];
}

function keepLate(world: World, slot: number): void {
  addLate(world, slot, (world.process(slot).call as Call).request);
}

function addLate(world: World, slot: number, request: Request): void {
  const process = world.process(slot);
  process.late = [...process.late, request];
  world.late -= 1;
}

function farewell(process: Process, setting: Setting): Request {
  const use = useOf(process, setting);
  process.stage = "gone";
  process.call = undefined;
  process.holding.clear();
  process.seq += 1;
  const { seq, max } = process;
  return { kind: "farewell", seq, held: 0, generation: 0, max, rejoin: false, use, want: null };
}

function describe({ kind, held, generation, max, use, want }: Request): string {
  const wants = want === null ? "" : `, wants ${want}`;
  const used = use ? `, used ${use.used} in epoch ${use.epoch}` : "";
  switch (kind) {
    case "register":
      return `registers, claims ${held}, max ${max}${wants}`;
    case "sync":
      return `syncs: ${generation === PRESENT ? "the present" : "an old"} generation, held ${held}, max ${max}${used}${wants}`;
    case "farewell":
      return `says farewell${used}`;
  }
}

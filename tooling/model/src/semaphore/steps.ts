import type { View } from "@dt/core";
import { describeView, expire, receive, running, send } from "./member.ts";
import { shareOf } from "./share.ts";
import { workOn } from "./store.ts";
import { msOf } from "./time.ts";
import type { SlotCall, SlotProcess, SlotRequest, SlotSetting, SlotWorld } from "./world.ts";

export type Emit = (kind: string, next: SlotWorld) => void;

/** Every step that can be made in a world. Each process, the store and the network go on as they like. */
export function slotSteps(world: SlotWorld, setting: SlotSetting, emitted: Emit): void {
  const emit: Emit = (kind, next) => {
    checkInFlight(next, setting);
    emitted(kind, next);
  };
  for (const [index, process] of world.processes.entries()) {
    if (process.stage !== "idle" && process.stage !== "gone") {
      if (process.joined) callers(world, setting, index, emit);
      exchange(world, setting, index, emit);
      hints(world, setting, index, emit);
      departure(world, setting, index, emit);
    }
    lateRequests(world, setting, index, emit);
  }
  restart(world, setting, emit);
  if (world.losses > 0 && world.group) loseData(world, emit);
  if (mayTick(world, setting)) tick(world, setting, emit);
}

/** A caller comes, a call begins, or ends. */
function callers(world: SlotWorld, { bounds, flaw }: SlotSetting, index: number, emit: Emit): void {
  const { share: state, fired } = world.process(index);
  const nowMs = msOf(world.tick);
  const change = (kind: string, text: string, inUse: number, waiting: number, nowFired: number): void => {
    const next = world.fork();
    const share = shareOf(state, bounds.queue);
    share.inUse = inUse;
    share.waiting = waiting;
    share.note(nowMs);
    next.tell(index, text);
    next.change(index, { share: share.state, fired: nowFired });
    emit(kind, next);
  };
  const { inUse, waiting, isClosed } = state;
  const usable = shareOf(state, bounds.queue).usable(nowMs) + (flaw === "begun-beyond-held" ? 1 : 0);
  if (inUse < usable) change("begin", "begins a call", inUse + 1, Math.max(0, waiting - 1), fired);
  else if (waiting < bounds.waiters && !isClosed) change("wait", "has a caller that waits", inUse, waiting + 1, fired);
  if (inUse > fired) change("end", "ends a call", inUse - 1, waiting, fired);
  if (fired > 0) change("end, fired", "ends a call whose signal had fired", inUse - 1, waiting, fired - 1);
}

/** A request is sent, arrives, is answered, or given up. */
function exchange(world: SlotWorld, setting: SlotSetting, index: number, emit: Emit): void {
  const { call, stage } = world.process(index);
  if (call) {
    if (call.answer) read(world, setting, index, emit);
    else arrive(world, setting, index, emit);
    giveUp(world, index, emit);
    return;
  }
  if (stage === "fenced") return;
  const sent = world.fork();
  const request = send(sent, setting, index);
  sent.tell(index, describe(request));
  if (sent.slow > 0) {
    const slow = sent.fork();
    slow.slow -= 1;
    slow.story = sent.story;
    emit("send", slow);
  }
  arrive(sent, setting, index, (_, next) => {
    read(next, setting, index, emit, "call");
    giveUp(next, index, emit);
  });
  giveUp(sent, index, emit);
}

/** The store works on the request under way. A copy of it may arrive later. */
function arrive(world: SlotWorld, setting: SlotSetting, index: number, emit: Emit): void {
  const { request, sentTick } = world.process(index).call as SlotCall;
  for (const copied of world.late > 0 ? [false, true] : [false]) {
    const next = retold(world);
    next.tell(index, `${describe(request)}  (arrives${copied ? ", and may once more" : ""})`);
    const answer = workOn(next, setting, index, request);
    next.change(index, { call: { request, sentTick, answer } });
    if (copied) keepLate(next, index, request);
    emit("arrive", next);
  }
}

function read(world: SlotWorld, setting: SlotSetting, index: number, emit: Emit, kind = "receive"): void {
  const next = retold(world);
  next.tell(index, `reads its answer: ${describeView(next.process(index).call?.answer as View)}`);
  receive(next, setting, index);
  emit(kind, next);
}

/** A process gives its call up: a message is lost, or the request arrives later. */
function giveUp(world: SlotWorld, index: number, emit: Emit): void {
  const { request, answer } = world.process(index).call as SlotCall;
  if (world.faults > 0) {
    const next = retold(world);
    next.faults -= 1;
    next.tell(index, `gives up: the ${answer ? "answer" : "request"} is lost`);
    next.change(index, { call: undefined });
    emit(answer ? "answer lost" : "request lost", next);
  }
  if (world.late > 0 && !answer) {
    const next = retold(world);
    next.tell(index, `gives up: ${describe(request)}; it may arrive later`);
    next.change(index, { call: undefined });
    keepLate(next, index, request);
    emit("late", next);
  }
}

/** A copy of a world that goes on within one step. */
function retold(world: SlotWorld): SlotWorld {
  const next = world.fork();
  next.story = world.story && [...world.story];
  return next;
}

function keepLate(world: SlotWorld, index: number, request: SlotRequest): void {
  world.late -= 1;
  world.change(index, { late: [...world.process(index).late, request] });
}

/** A request that its sender does not wait for arrives. */
function lateRequests(world: SlotWorld, setting: SlotSetting, index: number, emit: Emit): void {
  for (const request of world.process(index).late) {
    const next = world.fork();
    next.change(index, { late: next.process(index).late.filter((other) => other !== request) });
    next.tell(index, `${describe(request)}  (arrives late)`);
    workOn(next, setting, index, request);
    emit("arrive late", next);
  }
}

/** A hint arrives; an offer may arrive once more, or later. That each may be lost, needs no step. */
function hints(world: SlotWorld, setting: SlotSetting, index: number, emit: Emit): void {
  const { offer, ask, lateOffers } = world.process(index);
  if (offer) {
    take(offer, { offer: undefined }, "offer");
    if (world.late > 0) {
      const next = world.fork();
      next.late -= 1;
      next.change(index, { offer: undefined, lateOffers: [...lateOffers, offer] });
      emit("offer delayed", next);
    }
  }
  for (const late of lateOffers)
    take(late, { lateOffers: lateOffers.filter((other) => other !== late) }, "offer, late");
  if (ask) {
    const next = world.fork();
    const share = shareOf(next.process(index).share, setting.bounds.queue);
    share.ask(ask);
    next.tell(index, `is asked for ${ask.give}  (arrives)`);
    next.change(index, { ask: undefined, share: share.state });
    emit("ask", next);
  }

  function take(hint: NonNullable<SlotProcess["offer"]>, changes: Partial<SlotProcess>, kind: string): void {
    const next = world.fork();
    const { share: state, seq } = next.process(index);
    const share = shareOf(state, setting.bounds.queue);
    share.offer(setting.flaw === "any-offer-taken" ? { ...hint, seq } : hint, seq, msOf(next.tick));
    next.tell(index, `is offered ${hint.held} after its request ${hint.seq} of ${seq}  (arrives)`);
    next.change(index, { ...changes, share: share.state });
    emit(kind, next);
  }
}

/** A process begins nothing any more, and leaves once nothing runs. */
function departure(world: SlotWorld, setting: SlotSetting, index: number, emit: Emit): void {
  const { share: state, seq, generation, joined, stage } = world.process(index);
  if (!state.isClosed) {
    if (world.leaves === 0) return;
    const next = world.fork();
    next.leaves -= 1;
    const share = shareOf(state, setting.bounds.queue);
    share.isClosed = true;
    share.waiting = 0;
    next.tell(index, "drains");
    next.change(index, { share: share.state });
    emit("drain", next);
    return;
  }
  if (state.inUse > 0 && setting.flaw !== "leaves-while-running") return;
  const farewell = {
    kind: "farewell",
    seq: seq + 1,
    held: 0,
    inUse: 0,
    want: 0,
    waiting: 0,
    tookOffer: false,
    generation,
    rejoin: joined,
  } as const;
  const gone: Partial<SlotProcess> =
    state.inUse > 0
      ? { stage: "fenced", call: undefined, seq: seq + 1 }
      : { stage: "gone", call: undefined, offer: undefined, ask: undefined, lateOffers: [] };
  const left = world.fork();
  left.change(index, gone);
  left.tell(index, "leaves");
  if (stage !== "fenced") workOn(left, setting, index, farewell);
  emit("leave", left);
  if (world.late === 0 || stage === "fenced") return;
  const leaving = world.fork();
  leaving.late -= 1;
  leaving.change(index, { ...gone, late: [...leaving.process(index).late, farewell] });
  leaving.tell(index, "leaves; its farewell may arrive later");
  emit("leave, late", leaving);
}

/** A process is killed, with its calls, and started again under its id. What it sent may still arrive. */
function restart(world: SlotWorld, { bounds }: SlotSetting, emit: Emit): void {
  if (world.restarts === 0) return;
  const index = world.processes.findIndex(({ stage }) => stage === "idle");
  const killed = index === bounds.members ? 0 : index - 1;
  const { call, late, share, stage } = world.process(killed);
  if (stage === "gone") return;
  for (const kept of call && !call.answer && world.late > 0 ? [false, true] : [false]) {
    const next = world.fork();
    next.restarts -= 1;
    if (kept) next.late -= 1;
    next.tell(killed, "is killed");
    next.tell(index, `is its successor, as ${world.process(index).id}`);
    next.change(killed, {
      ...{
        stage: "gone",
        fired: 0,
        share: { ...share, inUse: 0 },
        call: undefined,
        offer: undefined,
        ask: undefined,
        lateOffers: [],
      },
      late: kept && call ? [...late, call.request] : late,
    });
    next.change(index, { stage: "outside" });
    emit("restart", next);
  }
}

function loseData(world: SlotWorld, emit: Emit): void {
  const next = world.fork();
  next.losses -= 1;
  next.group = undefined;
  next.rows = next.rows.map(() => undefined);
  next.slots = next.slots.map(() => undefined);
  next.story?.push("the store loses its data");
  emit("loss of data", next);
}

function mayTick(world: SlotWorld, { bounds }: SlotSetting): boolean {
  if (world.tick >= bounds.ticks) return false;
  return world.processes.every(({ call }) => !call || world.tick - call.sentTick < bounds.deadline);
}

function tick(world: SlotWorld, setting: SlotSetting, emit: Emit): void {
  const next = world.fork();
  next.tick += 1;
  next.story?.push(`-- tick ${next.tick}`);
  for (const index of next.processes.keys()) expire(next, index, setting.flaw === "signal-not-fired");
  emit("tick", next);
}

/** The promise: calls whose signal has not fired are at most `max`, and no process has more of them than on record. */
function checkInFlight(world: SlotWorld, setting: SlotSetting): void {
  let total = 0;
  for (const [index, process] of world.processes.entries()) {
    const calls = running(process);
    total += calls;
    const recorded = world.rows[index]?.held ?? 0;
    if (calls > recorded)
      world.violate(setting, "beyond-record", `${calls} calls where ${recorded} slots are on record`);
  }
  if (total > setting.bounds.max)
    world.violation = { rule: "in-flight", detail: `${total} of ${setting.bounds.max} in flight` };
}

function describe({ kind, held, want, waiting, seq }: SlotRequest): string {
  if (kind === "farewell") return "says farewell";
  return kind === "register"
    ? `registers, claims ${held}`
    : `reports ${seq}: held ${held}, wants ${want}, ${waiting} wait`;
}

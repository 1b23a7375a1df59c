import type { View } from "@dt/core";
import { isMember } from "@dt-tooling/simulator/requests";
import { msOf } from "./time.ts";
import type { SlotProcess, SlotRequest, SlotWorld } from "./world.ts";

/**
 * The normal form of a world. Request numbers and generations count on for ever, and only their order matters: they
 * are replaced by their places in it. What makes no difference any more is left out. Parts that stay the same stay the
 * same objects.
 */
export function renumbered(world: SlotWorld): SlotWorld {
  const next = world.fork();
  const generations = new Order();
  generations.add(world.group?.generation);
  for (const row of world.rows) generations.add(row?.generation, row && Math.abs(row.joined));
  for (const { generation, call, late } of world.processes) {
    generations.add(generation, call?.request.generation, generationOf(call?.answer));
    for (const request of late) generations.add(request.generation);
  }
  next.group = world.group && changed(world.group, { generation: generations.of(world.group.generation) });
  for (const [index, process] of world.processes.entries()) {
    const { seq, call, late, offer, lateOffers, share } = process;
    const row = world.rows[index];
    const slots = world.slots[index];
    const seqs = new Order();
    seqs.add(seq, call?.request.seq, row?.seq, slots?.seq, offer?.seq, share.offered?.seq);
    for (const { seq } of [...late, ...lateOffers]) seqs.add(seq);
    const requestOf = (request: SlotRequest): SlotRequest =>
      changed(request, { seq: seqs.of(request.seq), generation: generations.of(request.generation) });
    const hintOf = <H extends { readonly seq: number }>(hint: H): H =>
      hint.seq === seqs.of(hint.seq) ? hint : { ...hint, seq: seqs.of(hint.seq) };
    // An offer that was taken before the request under way has been answered to.
    const counts = share.offered !== undefined && [seq, call?.request.seq].includes(share.offered.seq);
    next.processes[index] = {
      ...process,
      seq: seqs.of(seq),
      generation: generations.of(process.generation),
      call: call && changed(call, { request: requestOf(call.request), answer: viewOf(call.answer, generations) }),
      late: late.map(requestOf),
      offer: offer && hintOf(offer),
      lateOffers: lateOffers.map(hintOf),
      share: changed(plain(share, msOf(world.tick)), {
        offered: counts && share.offered ? hintOf(share.offered) : undefined,
      }),
    };
    if (row) {
      const joined = Math.sign(row.joined) * generations.of(Math.abs(row.joined));
      next.rows[index] = changed(row, {
        seq: seqs.of(row.seq),
        generation: generations.of(row.generation),
        joined,
      });
    }
    if (slots) next.slots[index] = changed(slots, { seq: seqs.of(slots.seq) });
  }
  return next;
}

/** The state of a share without what makes no difference any more. */
function plain(share: SlotProcess["share"], nowMs: number): SlotProcess["share"] {
  const { want, turnSinceMs, validUntilMs, demand } = share;
  const { slots: told, ...due } = demand;
  // Windows of before this tick are over, and in one under way only the highest counts.
  const peaks = want.map(([sinceMs, now, before]) =>
    sinceMs < nowMs ? [Number.NEGATIVE_INFINITY, 0, 0] : [sinceMs, Math.max(now, before), 0],
  );
  return changed(share, {
    want: peaks.some((peak, at) => peak.some((value, field) => value !== want[at]?.[field]))
      ? (peaks as unknown as typeof want)
      : want,
    turnSinceMs: turnSinceMs < nowMs ? 0 : turnSinceMs,
    validUntilMs: validUntilMs <= nowMs ? 0 : validUntilMs,
    demand: told ? due : demand,
  });
}

/** The value with these changes, itself where they are none. */
function changed<T extends object>(value: T, changes: Partial<T>): T {
  for (const [name, change] of Object.entries(changes))
    if (value[name as keyof T] !== change) return { ...value, ...changes };
  return value;
}

function generationOf(view: View | undefined): number | undefined {
  return view && isMember(view) ? view.generation : undefined;
}

function viewOf(view: View | undefined, generations: Order): View | undefined {
  return view && isMember(view) ? changed(view, { generation: generations.of(view.generation) }) : view;
}

/** Numbers by their places among those that occur; 0 stays 0. */
class Order {
  readonly #values = [0];

  add(...values: readonly (number | undefined)[]): void {
    for (const value of values) if (value !== undefined && !this.#values.includes(value)) this.#values.push(value);
  }

  of(value: number): number {
    let place = 0;
    for (const other of this.#values) if (other < value) place += 1;
    return place;
  }
}

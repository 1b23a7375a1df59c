import { renumbered } from "./renumbered.ts";
import { type SlotProcess, SlotWorld } from "./world.ts";

type Late = readonly [SlotProcess["late"], SlotProcess["offer"], SlotProcess["ask"], SlotProcess["lateOffers"]];
type Rest = Pick<SlotProcess, "id" | "stage" | "seq" | "generation" | "joined" | "fired">;

/**
 * A world as bytes, and back. Each part of it is numbered, whole, the first time that it is seen; a state is the list
 * of these numbers, three bytes each.
 */
export class SlotCodec {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<object, number>();
  readonly #parts: unknown[] = [];

  encode(world: SlotWorld): Uint8Array {
    const { tick, slow, leaves, faults, late, losses, restarts, group, rows, slots, processes } = renumbered(world);
    const parts: unknown[] = [{ tick, slow, leaves, faults, late, losses, restarts }, group];
    for (const [index, process] of processes.entries()) {
      const { share, call, late: requests, offer, ask, lateOffers, ...rest } = process;
      parts.push(rows[index], slots[index], share, call, [requests, offer, ask, lateOffers] satisfies Late, rest);
    }
    const bytes = new Uint8Array(3 * parts.length);
    for (const [place, part] of parts.entries()) {
      const number = this.#numberOf(part);
      bytes[3 * place] = number & 255;
      bytes[3 * place + 1] = (number >> 8) & 255;
      bytes[3 * place + 2] = number >> 16;
    }
    return bytes;
  }

  decode(bytes: Uint8Array): SlotWorld {
    const world = new SlotWorld();
    let at = 0;
    const part = <T>(): T => {
      const [low, middle, high] = bytes.subarray(at, at + 3) as unknown as readonly [number, number, number];
      at += 3;
      return this.#parts[low | (middle << 8) | (high << 16)] as T;
    };
    Object.assign(world, part<object>());
    world.group = part();
    while (at < bytes.length) {
      world.rows.push(part());
      world.slots.push(part());
      const share = part<SlotProcess["share"]>();
      const call = part<SlotProcess["call"]>();
      const [late, offer, ask, lateOffers] = part<Late>();
      world.processes.push({ ...part<Rest>(), share, call, late, offer, ask, lateOffers });
    }
    return world;
  }

  #numberOf(part: unknown): number {
    const seen = typeof part === "object" && part !== null ? this.#known.get(part) : undefined;
    if (seen !== undefined) return seen;
    // Where a field may be infinite, it is never null: no two values become one text.
    const key = JSON.stringify(part) ?? "";
    const known = this.#numbers.get(key) ?? this.#add(key, part);
    if (typeof part === "object" && part !== null) this.#known.set(part, known);
    return known;
  }

  #add(key: string, part: unknown): number {
    const number = this.#parts.length;
    if (number >= 1 << 24) throw new RangeError("a state has too many parts; use smaller bounds");
    this.#numbers.set(key, number);
    this.#parts.push(part);
    return number;
  }
}

import type { Endpoint } from "@dt-tooling/backends";
import { NetworkSpace } from "../space/network-space.ts";
import { MAX } from "../timings.ts";
import type { ClockKind } from "../worker/config.ts";
import { Link } from "./link.ts";
import { type FleetFacts, Slot } from "./slot.ts";

/** A worker that is told to leave waits for its store at most its timeout. */
const LEAVE_WITHIN_MS = 3_000;

/** The workers of a run. */
export class Fleet {
  readonly slots: readonly Slot[];

  private constructor(slots: readonly Slot[]) {
    this.slots = slots;
  }

  /**
   * Prepares the places, with a link each; the last one in a network namespace of its own, if that is permitted and
   * there is a network at all. `onSkip` hears why not.
   */
  static async prepare(
    workers: number,
    servers: readonly Endpoint[],
    facts: FleetFacts,
    onSkip: (reason: string) => void,
  ): Promise<Fleet> {
    const slots: Slot[] = [];
    try {
      for (let number = 1; number <= workers; number++) {
        const space = number === workers && servers.length > 0 ? await trySpace(onSkip) : undefined;
        slots.push(new Slot(number, MAX, await Link.to(servers, space?.hostAddress ?? "127.0.0.1"), space, facts));
      }
    } catch (error) {
      await Promise.all(slots.map((slot) => slot.end()));
      throw error;
    }
    return new Fleet(slots);
  }

  /** Starts every worker; resolves when all were granted something, with the kind of the store's clock. */
  async start(): Promise<ClockKind> {
    const workers = this.slots.map((slot) => slot.start("same"));
    const [clock] = await Promise.all(workers.map(({ joined }) => joined));
    if (clock === undefined) throw new Error("a worker ended before it had joined");
    await Promise.all(workers.map(({ granted }) => granted));
    return clock;
  }

  slot(number: number): Slot {
    const slot = this.slots[number - 1];
    if (slot === undefined) throw new Error(`there is no worker ${number}`);
    return slot;
  }

  /** All leave at once. */
  async leave(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.leave(LEAVE_WITHIN_MS)));
  }

  /** Ends everything, by force. */
  async end(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.end()));
  }
}

async function trySpace(onSkip: (reason: string) => void): Promise<NetworkSpace | undefined> {
  if (process.platform !== "linux") {
    onSkip("no network namespace: this is not Linux");
    return undefined;
  }
  try {
    return await NetworkSpace.create();
  } catch (error) {
    onSkip(`no network namespace: ${(error as Error).message.trim().split("\n").at(-1)}`);
    return undefined;
  }
}

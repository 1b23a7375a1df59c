import type { GroupSnapshot, MemberRef, SlotHint, StoreCapabilities, View } from "@dt/core";
import { printHint } from "./history.ts";
import {
  type GroupFloor,
  hintViolation,
  orderViolation,
  snapshotViolation,
  type Violation,
  viewViolation,
} from "./invariants.ts";
import { isMemberView } from "./member.ts";
import type { Recorder } from "./record-call.ts";
import { GroupUse } from "./use/group-use.ts";
import type { Said } from "./use/said.ts";

/** What is known of a group when a call is sent. */
interface Sent {
  readonly sentMs: number;
  readonly floor: GroupFloor | undefined;
  /** The same of this store's answers alone. */
  readonly ownFloor: GroupFloor | undefined;
}

type Answered = Pick<GroupFloor, "storeTimeMs" | "generation">;

/** Checks of every answer about a group. */
export class GroupChecks {
  readonly #capabilities: StoreCapabilities;
  readonly #recorder: Recorder;
  readonly #floors = new Map<string, GroupFloor>();

  constructor(capabilities: StoreCapabilities, recorder: Recorder) {
    this.#capabilities = capabilities;
    this.#recorder = recorder;
  }

  async answered(
    call: "register" | "sync",
    group: string,
    said: Said | undefined,
    run: () => Promise<View>,
  ): Promise<View> {
    const sent = this.#sent(group);
    const answer = async (): Promise<View> => {
      const view = await run();
      this.#refuse(viewViolation(call, view));
      return view;
    };
    const view = await this.#watched(group, said, answer);
    if (isMemberView(view)) this.#advance(group, sent, view);
    return view;
  }

  /** A hint came to a member of a semaphore. What is wrong with it is noted. */
  hinted(group: string, { id, incarnation }: MemberRef, hint: SlotHint | undefined, store: number): void {
    const { history, uses } = this.#recorder;
    const nowMs = this.#recorder.now();
    history.push({ startMs: nowMs, endMs: nowMs, store, call: "note", subject: `hint to ${id}: ${printHint(hint)}` });
    const offered = hint?.kind === "offer" ? uses.get(group)?.offered(incarnation, hint) : undefined;
    const violation = hintViolation(hint) ?? offered;
    if (violation) this.#recorder.note(violation);
  }

  left(group: string, said: Said | undefined, run: () => Promise<void>): Promise<void> {
    const leave = async (): Promise<undefined> => {
      await run();
    };
    return this.#watched(group, said, leave);
  }

  async inspected(group: string, run: () => Promise<GroupSnapshot>): Promise<GroupSnapshot> {
    const sent = this.#sent(group);
    const snapshot = await run();
    this.#refuse(snapshotViolation(group, snapshot, this.#capabilities.ledger));
    // A group without members may have been forgotten, and its time and generation with it.
    if (snapshot.memberCount > 0) this.#advance(group, sent, snapshot);
    return snapshot;
  }

  /** What breaks the bound of what members may use is only noted: what a case looks for itself says more. */
  #watched<T extends View | undefined>(group: string, said: Said | undefined, run: () => Promise<T>): Promise<T> {
    if (!said || !this.#capabilities.ledger) return run();
    const { uses, clockErrorMs } = this.#recorder;
    const use = uses.get(group) ?? new GroupUse(clockErrorMs, () => this.#recorder.now());
    uses.set(group, use);
    return use.watch(said, run, (violation) => this.#recorder.note(violation));
  }

  #sent(group: string): Sent {
    const { floors } = this.#recorder;
    return { sentMs: this.#recorder.now(), floor: floors.get(group), ownFloor: this.#floors.get(group) };
  }

  #advance(group: string, { sentMs, floor, ownFloor }: Sent, answer: Answered): void {
    this.#refuse(orderViolation(ownFloor, sentMs, answer));
    this.#refuse(orderViolation(floor, sentMs, answer, this.#recorder.clockErrorMs));
    this.#raise(this.#floors, group, answer);
    this.#raise(this.#recorder.floors, group, answer);
  }

  #raise(floors: Map<string, GroupFloor>, group: string, answer: Answered): void {
    const known = floors.get(group);
    const later = !known || answer.storeTimeMs > known.storeTimeMs;
    floors.set(group, {
      answeredMs: later ? this.#recorder.now() : known.answeredMs,
      storeTimeMs: later ? answer.storeTimeMs : known.storeTimeMs,
      generation: Math.max(known?.generation ?? 0, answer.generation),
    });
  }

  #refuse(violation: Violation | undefined): void {
    if (violation) throw this.#recorder.violated(violation);
  }
}

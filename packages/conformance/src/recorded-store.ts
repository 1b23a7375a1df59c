import type {
  CoordinationStore,
  Farewell,
  GroupSnapshot,
  MemberRef,
  Registration,
  Report,
  StoreCapabilities,
  View,
} from "@dt/core";
import type { HistoryEntry } from "./history.ts";
import { type GroupFloor, orderViolation, snapshotViolation, type Violation, viewViolation } from "./invariants.ts";
import { isMemberView } from "./member.ts";

/** What the stores of one case share. */
export interface Recorder {
  /** Milliseconds since the case began. */
  now(): number;
  readonly history: HistoryEntry[];
  /** The newest time and generation answered for each group. */
  readonly floors: Map<string, GroupFloor>;
  /** How far the answers of two stores at one instant may lie apart. */
  readonly clockErrorMs: number;
  /** Settles as the call does, or fails it as a breach of R16 when it does not settle in time. */
  guard<T>(what: string, call: Promise<T>): Promise<T>;
  /** Notes a broken rule and gives the error to throw. */
  violated(violation: Violation): Error;
}

interface Sent {
  readonly sentMs: number;
  readonly floor: GroupFloor | undefined;
  /** The same of this store's answers alone. */
  readonly ownFloor: GroupFloor | undefined;
}

type Answered = Pick<GroupFloor, "storeTimeMs" | "generation">;

/** A store that writes down every call and answer, and checks what must be true of every answer. */
export class RecordedStore implements CoordinationStore {
  readonly #store: CoordinationStore;
  readonly #number: number;
  readonly #recorder: Recorder;
  readonly #floors = new Map<string, GroupFloor>();

  constructor(store: CoordinationStore, number: number, recorder: Recorder) {
    this.#store = store;
    this.#number = number;
    this.#recorder = recorder;
  }

  get capabilities(): StoreCapabilities {
    return this.#store.capabilities;
  }

  register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    return this.#answered("register", group, registration, () => this.#store.register(group, registration, signal));
  }

  sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    const args = { ...member, ...report };
    return this.#answered("sync", group, args, () => this.#store.sync(group, member, report, signal));
  }

  deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    const args = { ...member, ...farewell };
    return this.#record("deregister", group, args, () => this.#store.deregister(group, member, farewell, signal));
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    const sent = this.#sent(group);
    const snapshot = await this.#record("inspect", group, undefined, () => this.#store.inspect(group, signal));
    this.#refuse(snapshotViolation(group, snapshot));
    // A group without members may have been forgotten, and its time and generation with it.
    if (snapshot.poolSize > 0) this.#advance(group, sent, snapshot);
    return snapshot;
  }

  watch(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void> {
    return this.#record("watch", group, undefined, () => {
      if (!this.#store.watch)
        throw this.#recorder.violated({
          rule: "R16",
          summary: "capabilities.push is true, but the store has no watch()",
        });
      return this.#store.watch(group, onChange, signal);
    });
  }

  close(): Promise<void> {
    return this.#record("close", "", undefined, () => this.#store.close());
  }

  async #answered(call: "register" | "sync", group: string, args: object, run: () => Promise<View>): Promise<View> {
    const sent = this.#sent(group);
    const view = await this.#record(call, group, args, run);
    this.#refuse(viewViolation(call, view));
    if (isMemberView(view)) this.#advance(group, sent, view);
    return view;
  }

  /** What is known of a group when a call is sent. */
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

  async #record<T>(
    call: HistoryEntry["call"],
    subject: string,
    args: object | undefined,
    run: () => Promise<T>,
  ): Promise<T> {
    const recorder = this.#recorder;
    const entry: HistoryEntry = {
      startMs: recorder.now(),
      store: this.#number,
      call,
      subject,
      ...(args && { args: { ...args } }),
    };
    recorder.history.push(entry);
    try {
      const result = await recorder.guard(call, started(run));
      entry.endMs = recorder.now();
      if (typeof result === "object") entry.result = result;
      return result;
    } catch (error) {
      entry.endMs = recorder.now();
      entry.error = describeError(error);
      throw error;
    }
  }
}

/** Calls the store; a store that throws instead of rejecting is treated as one that rejects (cases of R16 look closer). */
function started<T>(run: () => Promise<T>): Promise<T> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error);
  }
}

function describeError(error: unknown): NonNullable<HistoryEntry["error"]> {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  const { code, outcome } = error as { code?: unknown; outcome?: unknown };
  return {
    name: error.name,
    ...(typeof code === "string" && { code }),
    ...(typeof outcome === "string" && { outcome }),
    message: error.message.split("\n", 1)[0] as string,
  };
}

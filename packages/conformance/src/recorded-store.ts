import type {
  CoordinationStore,
  Farewell,
  GroupPage,
  GroupSnapshot,
  MemberRef,
  PermitLedger,
  PermitPage,
  PermitRelease,
  PermitRequest,
  PermitSnapshot,
  Registration,
  RepairOptions,
  RepairReport,
  Report,
  Reservation,
  StoreCapabilities,
  View,
} from "@dt/core";
import type { HistoryEntry } from "./history.ts";
import { type GroupFloor, orderViolation, snapshotViolation, type Violation, viewViolation } from "./invariants.ts";
import { isMemberView } from "./member.ts";
import { RecordedPermits } from "./permits/recorded-permits.ts";
import { type Recorder, recordCall } from "./record-call.ts";
import { GroupUse } from "./use/group-use.ts";
import { type Said, saidToJoin, saidToLeave, saidToStay } from "./use/said.ts";

interface Sent {
  readonly sentMs: number;
  readonly floor: GroupFloor | undefined;
  /** The same of this store's answers alone. */
  readonly ownFloor: GroupFloor | undefined;
}

type Answered = Pick<GroupFloor, "storeTimeMs" | "generation">;

/** A store that writes down every call and answer, and checks what must be true of every answer. */
export class RecordedStore implements CoordinationStore, PermitLedger {
  readonly #store: CoordinationStore & Partial<PermitLedger>;
  readonly #number: number;
  readonly #recorder: Recorder;
  readonly #floors = new Map<string, GroupFloor>();
  readonly #permits: RecordedPermits;

  constructor(store: CoordinationStore & Partial<PermitLedger>, number: number, recorder: Recorder) {
    this.#store = store;
    this.#number = number;
    this.#recorder = recorder;
    this.#permits = new RecordedPermits(store, number, recorder);
  }

  /** Which of the methods that not every store needs the store has. */
  has(name: keyof PermitLedger | "repair" | "list"): boolean {
    return typeof this.#store[name] === "function";
  }

  get capabilities(): StoreCapabilities {
    return this.#store.capabilities;
  }

  register(group: string, registration: Registration, signal?: AbortSignal): Promise<View> {
    const said = saidToJoin(registration);
    return this.#answered("register", group, registration, said, () =>
      this.#store.register(group, registration, signal),
    );
  }

  sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View> {
    const args = { ...member, ...report };
    const said = saidToStay(member, report);
    return this.#answered("sync", group, args, said, () => this.#store.sync(group, member, report, signal));
  }

  deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void> {
    const args = { ...member, ...farewell };
    const leave = async (): Promise<undefined> => {
      await this.#record("deregister", group, args, () => this.#store.deregister(group, member, farewell, signal));
    };
    return this.#watched(group, saidToLeave(member, farewell), leave);
  }

  async inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot> {
    const sent = this.#sent(group);
    const snapshot = await this.#record("inspect", group, undefined, () => this.#store.inspect(group, signal));
    this.#refuse(snapshotViolation(group, snapshot, this.#store.capabilities.ledger));
    // A group without members may have been forgotten, and its time and generation with it.
    if (snapshot.poolSize > 0) this.#advance(group, sent, snapshot);
    return snapshot;
  }

  repair(group: string, options?: RepairOptions, signal?: AbortSignal): Promise<RepairReport> {
    const store = this.#store as Required<CoordinationStore>;
    return this.#record("repair", group, options, () => store.repair(group, options, signal));
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

  list(cursor?: string, signal?: AbortSignal): Promise<GroupPage> {
    const store = this.#store as Required<CoordinationStore>;
    return this.#record("list", "", { cursor }, () => store.list(cursor, signal));
  }

  reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    return this.#permits.reserve(key, request, signal);
  }

  release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    return this.#permits.release(key, release, signal);
  }

  resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    return this.#permits.resetPermits(key, signal);
  }

  watchPermits(key: string, onFreed: () => void, signal?: AbortSignal): Promise<() => void> {
    return this.#permits.watchPermits(key, onFreed, signal);
  }

  inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    return this.#permits.inspectPermits(key, signal);
  }

  listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    return this.#permits.listPermits(cursor, signal);
  }

  close(): Promise<void> {
    return this.#record("close", "", undefined, () => this.#store.close());
  }

  async #answered(
    call: "register" | "sync",
    group: string,
    args: object,
    said: Said | undefined,
    run: () => Promise<View>,
  ): Promise<View> {
    const sent = this.#sent(group);
    const answer = async (): Promise<View> => {
      const view = await this.#record(call, group, args, run);
      this.#refuse(viewViolation(call, view));
      return view;
    };
    const view = await this.#watched(group, said, answer);
    if (isMemberView(view)) this.#advance(group, sent, view);
    return view;
  }

  /** What breaks the bound of what members may use is only noted: what a case looks for itself says more. */
  #watched<T extends View | undefined>(group: string, said: Said | undefined, run: () => Promise<T>): Promise<T> {
    if (!said || !this.#store.capabilities.ledger) return run();
    const { uses, clockErrorMs } = this.#recorder;
    const use = uses.get(group) ?? new GroupUse(clockErrorMs);
    uses.set(group, use);
    return use.watch(said, run, (violation) => this.#recorder.note(violation));
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

  #record<T>(call: HistoryEntry["call"], subject: string, args: object | undefined, run: () => Promise<T>): Promise<T> {
    return recordCall(this.#recorder, { store: this.#number, call, subject, args }, run);
  }
}

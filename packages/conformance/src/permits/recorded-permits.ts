import type { PermitLedger, PermitPage, PermitRelease, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import { type Recorder, recordCall } from "../record-call.ts";
import { IssuedPermits } from "./issued-permits.ts";
import { type KeyFloor, keyTimeViolation, reservationViolation } from "./permit-invariants.ts";

/**
 * The permit ledger's part of a recorded store: writes down every call and answer, and checks what must be true of
 * every answer.
 */
export class RecordedPermits implements PermitLedger {
  readonly #store: Partial<PermitLedger>;
  readonly #number: number;
  readonly #recorder: Recorder;
  readonly #ownFloors = new Map<string, KeyFloor>();

  constructor(store: Partial<PermitLedger>, number: number, recorder: Recorder) {
    this.#store = store;
    this.#number = number;
    this.#recorder = recorder;
  }

  async reserve(key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    const recorder = this.#recorder;
    const sentMs = recorder.now();
    const [own, shared] = [this.#ownFloors.get(key), this.#issuedFor(key).floor];
    const answer = await this.#record("reserve", key, request, () =>
      (this.#store as PermitLedger).reserve(key, request, signal),
    );
    const { storeTimeMs } = answer ?? {};
    const runs = recorder.clockErrorMs === 0;
    const violation =
      reservationViolation(request, answer) ??
      keyTimeViolation(own, sentMs, storeTimeMs, { apartMs: 0, runs }) ??
      keyTimeViolation(shared, sentMs, storeTimeMs, { apartMs: recorder.clockErrorMs, runs });
    if (violation) throw recorder.violated(violation);
    const floor = { answeredMs: recorder.now(), storeTimeMs };
    this.#ownFloors.set(key, floor);
    const issued = this.#issuedFor(key);
    if (!issued.floor || storeTimeMs >= issued.floor.storeTimeMs) issued.floor = floor;
    // Not thrown: the case may know better which rule it was.
    const tooClose = issued.answered(request, answer);
    if (tooClose) recorder.violated(tooClose);
    return answer;
  }

  release(key: string, release: PermitRelease, signal?: AbortSignal): Promise<void> {
    this.#issuedFor(key).released(release);
    return this.#record("release", key, release, () => (this.#store as PermitLedger).release(key, release, signal));
  }

  resetPermits(key: string, signal?: AbortSignal): Promise<void> {
    const store = this.#store as Required<PermitLedger>;
    this.#issuedFor(key).reset();
    return this.#record("resetPermits", key, undefined, () => store.resetPermits(key, signal));
  }

  watchPermits(key: string, onFreed: () => void, signal?: AbortSignal): Promise<() => void> {
    const store = this.#store as Required<PermitLedger>;
    return this.#record("watchPermits", key, undefined, () => store.watchPermits(key, onFreed, signal));
  }

  inspectPermits(key: string, signal?: AbortSignal): Promise<PermitSnapshot | undefined> {
    const store = this.#store as Required<PermitLedger>;
    return this.#record("inspectPermits", key, undefined, () => store.inspectPermits(key, signal));
  }

  listPermits(cursor?: string, signal?: AbortSignal): Promise<PermitPage> {
    const store = this.#store as Required<PermitLedger>;
    return this.#record("listPermits", "", { cursor }, () => store.listPermits(cursor, signal));
  }

  #issuedFor(key: string): IssuedPermits {
    const { permits } = this.#recorder;
    const issued = permits.get(key) ?? new IssuedPermits();
    permits.set(key, issued);
    return issued;
  }

  #record<T>(call: keyof PermitLedger, key: string, args: object | undefined, run: () => Promise<T>): Promise<T> {
    return recordCall(this.#recorder, { store: this.#number, call, subject: key, args }, run);
  }
}

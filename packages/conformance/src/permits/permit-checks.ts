import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";
import type { Recorder } from "../record-call.ts";
import { IssuedPermits } from "./issued-permits.ts";
import { type KeyFloor, keyTimeViolation, reservationViolation } from "./permit-invariants.ts";

/** Checks of every answer about a key of permits. */
export class PermitChecks {
  readonly #recorder: Recorder;
  readonly #ownFloors = new Map<string, KeyFloor>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  async reserved(key: string, request: PermitRequest, run: () => Promise<Reservation>): Promise<Reservation> {
    const recorder = this.#recorder;
    const sentMs = recorder.now();
    const [own, shared] = [this.#ownFloors.get(key), this.#issuedFor(key).floor];
    const answer = await run();
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

  released(key: string, release: PermitRelease): void {
    this.#issuedFor(key).released(release);
  }

  reset(key: string): void {
    this.#issuedFor(key).reset();
  }

  #issuedFor(key: string): IssuedPermits {
    const { permits } = this.#recorder;
    const issued = permits.get(key) ?? new IssuedPermits();
    permits.set(key, issued);
    return issued;
  }
}

import { type BucketAnswer, type BucketRequest, type DtError, isDtError } from "@dt/core";
import { bucketName } from "@dt/core/ledger";
import type { Violation } from "../invariants.ts";
import { type KeyFloor, keyTimeViolation } from "../permits/permit-invariants.ts";
import type { Recorder } from "../record-call.ts";

/** Checks of every answer about a bucket. */
export class BucketChecks {
  readonly #recorder: Recorder;
  readonly #floors = new Map<string, KeyFloor>();

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  async taken(
    requests: readonly BucketRequest[],
    run: () => Promise<readonly (BucketAnswer | DtError)[]>,
  ): Promise<readonly (BucketAnswer | DtError)[]> {
    const recorder = this.#recorder;
    const sentMs = recorder.now();
    // What is answered while this call is under way may be of a later time.
    const floors = new Map(this.#floors);
    const answers = await run();
    if (!Array.isArray(requests)) return answers;
    if (!Array.isArray(answers) || answers.length !== requests.length)
      throw recorder.violated({
        rule: "K1",
        summary: `take answered ${Array.isArray(answers) ? answers.length : String(answers)} to ${requests.length} requests`,
      });
    for (const [index, request] of (requests as readonly BucketRequest[]).entries()) {
      const answer = answers[index] as BucketAnswer | DtError;
      if (isDtError(answer)) continue;
      const given = answer as BucketAnswer;
      const name = bucketName(request);
      const violation = answerViolation(request, given) ?? this.#timeViolation(floors.get(name), sentMs, given);
      // Of several requests in one call: the answer may be another one's.
      if (violation) throw recorder.violated(requests.length > 1 ? { ...violation, rule: "K1" } : violation);
      this.#floors.set(name, { answeredMs: recorder.now(), storeTimeMs: given.storeTimeMs });
    }
    return answers;
  }

  #timeViolation(floor: KeyFloor | undefined, sentMs: number, { storeTimeMs }: BucketAnswer): Violation | undefined {
    const clock = { apartMs: 0, runs: this.#recorder.clockErrorMs === 0 };
    const violation = keyTimeViolation(floor, sentMs, storeTimeMs, clock, "bucket");
    return violation && { ...violation, rule: "K2" };
  }
}

/** What must be true of every answer to a request, whatever the case. */
function answerViolation(request: BucketRequest, answer: BucketAnswer): Violation | undefined {
  if (typeof answer !== "object" || answer === null)
    return { rule: "K11", summary: `take answered ${String(answer)}, not a BucketAnswer` };
  const { granted, waitMs, limitedBy, storeTimeMs, firstMs, inHand, inFlight, hits, lost } = answer;
  const { take, hold } = request;
  if (!isAmount(storeTimeMs)) return { rule: "K2", summary: `storeTimeMs is ${String(storeTimeMs)}, not a time` };
  if (!isCount(granted) || granted > (take ? take.cost + take.ahead : 0))
    return { rule: "K4", summary: `granted is ${String(granted)} of ${JSON.stringify(take)}` };
  if (granted > 0 && granted < (take?.cost ?? 0))
    return { rule: "K4", summary: `${granted} of a cost of ${take?.cost} were granted` };
  if (!isAmount(waitMs) || (granted > 0 && waitMs > (take?.maxWaitMs ?? 0)) || !Number.isFinite(firstMs))
    return { rule: "K4", summary: `waitMs is ${String(waitMs)}, firstMs ${String(firstMs)}, granted ${granted}` };
  if (waitMs > 0 ? limitedBy !== "rate" && limitedBy !== "concurrent" : limitedBy !== undefined)
    return { rule: "K4", summary: `limitedBy is ${String(limitedBy)} of a wait of ${waitMs} ms` };
  if (!isCount(inHand) || (!hold && inHand > 0)) return { rule: "K5", summary: `inHand is ${String(inHand)}` };
  if (!isCount(inFlight) || !Array.isArray(lost) || lost.some((id) => !request.renew?.includes(id)))
    return { rule: "K6", summary: `inFlight is ${String(inFlight)}, lost ${JSON.stringify(lost)}` };
  if (!isCount(hits)) return { rule: "K8", summary: `hits is ${String(hits)}, not a whole number >= 0` };
  return undefined;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

import type { BucketLimit, BucketRequest } from "@dt/core";
import { limitText } from "@dt/core/ledger";

/** What `take.lua` gets besides keys and channel: the limits of the requests, each once, and the requests. */
export function takeArguments(requests: readonly BucketRequest[]): string[] {
  const limits = new Limits();
  const list = requests.map((request) => {
    const more = takesAtOnce(request) ? [] : [moreOf(request, limits)];
    return [limits.placeOf(request.limit), request.take?.cost ?? 0, ...more];
  });
  return [JSON.stringify([limits.list, list])];
}

/** True where a request takes a cost at once, and does nothing else. */
function takesAtOnce({ formerLimit, stored, take, hold, renew, release, hits }: BucketRequest): boolean {
  return !(formerLimit || stored || take?.slot || hold || renew || release || hits);
}

function moreOf(request: BucketRequest, limits: Limits): object {
  const { formerLimit, stored, take, hold, renew, renewMs = 0, release, hits } = request;
  const { maxWaitMs = 0, ahead = 0, aheadWithinMs = 0, slot } = take ?? {};
  return {
    ...{ max_wait_ms: maxWaitMs, ahead, ahead_within_ms: aheadWithinMs },
    ...(formerLimit && { former: limits.placeOf(formerLimit) }),
    ...(stored && { stored }),
    ...(slot && { slot: { id: slot.id, for_ms: slot.forMs } }),
    ...(hold && { hold: { id: hold.id, seq: hold.seq, spent: hold.spent, keep: hold.keep, for_ms: hold.forMs } }),
    ...(renew && { renew, renew_ms: renewMs }),
    ...(release && { release }),
    ...(hits && { hits: { window_ms: hits.windowMs, by: hits.by } }),
  };
}

/** Limits by their places, from 1. */
class Limits {
  readonly list: (readonly number[])[] = [];
  readonly #places = new Map<string, number>();
  /** Most requests have the limit of the one before. */
  #last: BucketLimit | undefined;
  #lastPlace = 0;

  placeOf(limit: BucketLimit | undefined): number {
    if (!limit) return 0;
    if (limit === this.#last) return this.#lastPlace;
    const text = limitText(limit);
    const place = this.#places.get(text) ?? this.#add(text, limit);
    [this.#last, this.#lastPlace] = [limit, place];
    return place;
  }

  #add(text: string, { max, windowMs, burst, concurrent = 0 }: BucketLimit): number {
    const place = this.list.push([max, windowMs, burst, concurrent]);
    this.#places.set(text, place);
    return place;
  }
}

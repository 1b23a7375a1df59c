import type { MemberView } from "../contract/coordination-store.ts";
import type { MemberSnapshot } from "../contract/inspect-and-repair.ts";
import { withDeadline } from "../internal/deadline.ts";
import type { MembershipHost, MembershipSettings } from "./membership-settings.ts";

/** In groups of so many members the store is asked who is silent: its answer names every member. */
const MOST_MEMBERS = 100;

/** The store is asked again after so long at the earliest. */
const LOOK_EVERY_MS = 2_000;

/** Members that fell silent, with tokens that nobody else can use until the store removes them. */
export interface Silent {
  readonly members: number;
  readonly held: number;
  /** Local time at which the first of them is removed. */
  readonly untilMs: number;
}

/**
 * Why a member holds nothing, as far as its answers do not say it by themselves: until when its group learns, and
 * whether tokens are with members that fell silent. The latter costs the store a look at the whole group, which is
 * taken only where a caller waits or asks why, and while this member holds nothing.
 */
export class Obstacles {
  /** True while the group learns (R8). */
  learning = false;
  /** Local time until which it does, where this member can tell. */
  learningUntilMs: number | undefined;
  silent: Silent | undefined;
  readonly #settings: MembershipSettings;
  readonly #host: MembershipHost;
  readonly #leaving = new AbortController();
  #emptyAnswers = 0;
  #nextLookMs = 0;
  #looking = false;

  constructor(settings: MembershipSettings, host: MembershipHost) {
    this.#settings = settings;
    this.#host = host;
  }

  /** Takes in an answer to this member. */
  heard(view: MemberView): void {
    const { runtime, store, learningMs } = this.#settings;
    const nowMs = runtime.now();
    this.learning = view.learning;
    const learnsForMs = learningMs - view.groupAgeMs;
    this.learningUntilMs = view.learning && learnsForMs > 0 ? nowMs + learnsForMs : undefined;
    // The first answer comes before the others have given anything up.
    this.#emptyAnswers = view.held > 0 || view.learning ? 0 : this.#emptyAnswers + 1;
    if (this.#emptyAnswers === 0) this.silent = undefined;
    const mayTell = store.capabilities.ledger && view.members > 1 && view.members <= MOST_MEMBERS;
    if (this.#emptyAnswers > 1 && mayTell && nowMs >= this.#nextLookMs && this.#host.asksWhy()) this.#look();
  }

  /** Ends what is under way. */
  end(): void {
    this.#leaving.abort();
  }

  #look(): void {
    if (this.#looking || this.#leaving.signal.aborted) return;
    const { runtime, store, group, storeTimeoutMs: timeoutMs } = this.#settings;
    const options = { runtime, timeoutMs, what: `${store.capabilities.name} inspect`, signal: this.#leaving.signal };
    this.#looking = true;
    withDeadline((signal) => store.inspect(group, signal), options)
      .then(({ members }) => this.#found(members))
      // Whatever is wrong with the store, the syncs say so.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = false;
        this.#nextLookMs = runtime.now() + LOOK_EVERY_MS;
      });
  }

  #found(members: readonly MemberSnapshot[]): void {
    if (this.#emptyAnswers === 0) return;
    const { runtime, syncIntervalMs, staleAfterMs, member } = this.#settings;
    const silent = members.filter(
      ({ incarnation, held, silentMs }) =>
        incarnation !== member.incarnation && held > 0 && silentMs > 2 * syncIntervalMs,
    );
    const longestMs = silent.reduce((longest, { silentMs }) => Math.max(longest, silentMs), 0);
    this.silent =
      silent.length === 0
        ? undefined
        : {
            members: silent.length,
            held: silent.reduce((sum, { held }) => sum + held, 0),
            untilMs: runtime.now() + Math.max(0, staleAfterMs - longestMs),
          };
    this.#host.changed();
  }
}

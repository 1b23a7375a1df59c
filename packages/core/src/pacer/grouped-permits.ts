import type { Events } from "../internal/events.ts";
import type { Tally } from "../internal/tally.ts";
import { whenAborted } from "../internal/when-aborted.ts";
import type { AcquireSettings } from "../limiter/acquire-options.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { GroupedPacerSettings, GroupedPermit } from "./grouped-pacer-options.ts";
import { OwnPermits } from "./own-permits.ts";
import type { GroupedPacerEvents } from "./pacer-events.ts";
import { PermitClient } from "./permit-client.ts";
import { type AttemptSettings, isRefused, type PermitSource, type Refused } from "./permit-source.ts";
import { SiteAgreement } from "./site-agreement.ts";
import { type Neighbour, STOLEN, Stealing, type StolenPermit } from "./stealing.ts";

/** The permits of the own site, and for callers that have waited long also those that other sites leave unused. */
export class GroupedPermits implements PermitSource<GroupedPermit> {
  readonly own: OwnPermits;
  readonly #site: string;
  readonly #runtime: Runtime;
  readonly #events: Events<GroupedPacerEvents>;
  readonly #neighbours: readonly Neighbour[];
  readonly #stealing: Stealing;
  readonly #agreement: SiteAgreement;
  #stolen = 0;

  constructor(
    { site, own, others, stealAfterMs }: GroupedPacerSettings,
    events: Events<GroupedPacerEvents>,
    tally: Tally,
  ) {
    const { runtime, everyMs } = own;
    this.#site = site;
    this.#runtime = runtime;
    this.#events = events;
    const assure = (): Promise<void> => this.#agreement.assure();
    this.own = new OwnPermits(own, events, tally, assure);
    this.#neighbours = [...others].map(([name, part]) => ({ name, client: new PermitClient(part, assure) }));
    this.#agreement = new SiteAgreement(runtime, this.#neighbours, () => this.waiting > 0);
    this.#stealing = new Stealing(runtime, this.#neighbours, { stealAfterMs, everyMs });
  }

  get waiting(): number {
    return this.own.waiting;
  }

  get unreleased(): number {
    return this.#neighbours.reduce((sum, { client }) => sum + client.unreleased, this.own.unreleased);
  }

  get pausedForMs(): number {
    return this.own.pausedForMs;
  }

  /** Permits taken from other sites. */
  get stolen(): number {
    return this.#stolen;
  }

  set onEmpty(listener: () => void) {
    this.own.onEmpty = listener;
  }

  async acquire(cost: number, how: AcquireSettings): Promise<GroupedPermit> {
    // A caller that does not wait does not wait for `stealAfter` either.
    if (how.timeoutMs === 0) return this.#fromHere(await this.own.acquire(cost, how));
    const { signal, priority } = how;
    const sinceMs = this.#runtime.now();
    const gone = new AbortController();
    const stopListening = signal && whenAborted(signal, () => gone.abort(signal.reason));
    let stolen: StolenPermit | undefined;
    const take = (taken: StolenPermit): boolean => {
      if (gone.signal.aborted) return false;
      stolen = taken;
      gone.abort(STOLEN);
      return true;
    };
    const waiter = { cost, priority, sinceMs, take };
    const own = this.own.acquire(cost, { ...how, signal: gone.signal });
    this.#stealing.enter(waiter);
    const permit = await own
      .catch((error: unknown) => {
        if (!stolen) throw error;
        return undefined;
      })
      .finally(() => {
        this.#stealing.leave(waiter);
        stopListening?.();
      });
    // Both may come in one turn of the event loop: one is enough.
    if (permit) stolen?.giveBack();
    return permit ? this.#fromHere(permit) : this.#fromElsewhere(stolen as StolenPermit, cost, sinceMs);
  }

  async attempt(cost: number, how: AttemptSettings): Promise<GroupedPermit | Refused> {
    const answer = await this.own.attempt(cost, how);
    return isRefused(answer) ? answer : this.#fromHere(answer);
  }

  /** All sites, each with its own store. */
  pauseUntil(untilMs: number): void {
    this.own.pauseUntil(untilMs);
    for (const { client } of this.#neighbours) {
      client.pauseUntil(untilMs);
      client.sayPause();
    }
  }

  async close(error: unknown): Promise<void> {
    await Promise.all([this.own.close(error), this.#stealing.close(), this.#agreement.close()]);
  }

  #fromHere({ lateMs }: { readonly lateMs: number }): GroupedPermit {
    return { lateMs, site: this.#site };
  }

  #fromElsewhere({ site, lateMs }: StolenPermit, cost: number, sinceMs: number): GroupedPermit {
    this.#stolen += 1;
    if (this.#events.has("stolen"))
      this.#events.emit("stolen", { site, cost, lateMs, waitedMs: this.#runtime.now() - sinceMs });
    return { lateMs, site };
  }
}

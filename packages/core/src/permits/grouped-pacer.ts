import { isDtError } from "../errors/dt-error.ts";
import { checkDuration, invalidOption } from "../options/check.ts";
import type { Duration } from "../options/duration.ts";
import { randomId } from "../runtime/runtime.ts";
import { createPacer, type Pacer, type Permit, type PermitOptions } from "./pacer.ts";
import { checkPacerOptions, type PacerOptions } from "./pacer-options.ts";
import { PermitClient } from "./permit-client.ts";
import type { PermitLedger } from "./permit-ledger.ts";

/** A site that does not answer is left alone for this long. */
const SITE_REST_MS = 1_000;

/** One group of workers with a store of its own, such as a data centre. */
export interface Site {
  readonly store: PermitLedger;
  /** Its part of the total, relative to the others. Default 1. */
  readonly weight?: number;
}

/** Options of `createGroupedPacer`: those of a pacer, whose `every` or `rate` is the total of all sites, and the sites. */
export interface GroupedPacerOptions extends Omit<PacerOptions, "store"> {
  /** Every site of the total by name, the same in all processes. */
  readonly sites: Readonly<Record<string, Site>>;
  /** The site of this process. */
  readonly site: string;
  /**
   * The bias towards the own part: only a caller that has waited this long tries to take from others. Default the distance between two permits of the own
   * part.
   */
  readonly stealAfter?: Duration;
}

/** A permit and the site whose part it came from. */
export interface GroupedPermit extends Permit {
  readonly site: string;
}

interface Neighbour {
  readonly name: string;
  readonly client: PermitClient;
  restUntilMs: number;
}

/**
 * Divides a total among sites, each with its own store (seed "Distributed Throttle", last section). A busy site takes what others leave unused, and only that: it never
 * reserves ahead of another site's own workers. A site cut off from the others goes on with its part. The total is never exceeded, since every permit comes from
 * exactly one part. Made by {@link createGroupedPacer}.
 */
export class GroupedPacer {
  readonly key: string;
  readonly site: string;
  readonly #own: Pacer;
  readonly #neighbours: readonly Neighbour[];
  readonly #options: { readonly everyMs: number; readonly stealAfterMs: number };
  #first = 0;
  #stolen = 0;

  /** Use {@link createGroupedPacer}. */
  constructor(options: GroupedPacerOptions) {
    const { sites, site, stealAfter, every, rate, ...rest } = options;
    const weights = checkSites(sites, site);
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    const settingsOf = (name: string, store: PermitLedger): ReturnType<typeof checkPacerOptions> => {
      const settings = checkPacerOptions({
        ...rest,
        ...(every === undefined ? {} : { every }),
        ...(rate === undefined ? {} : { rate }),
        store,
      });
      return { ...settings, everyMs: (settings.everyMs * total) / (weights.get(name) as number) };
    };
    const own = settingsOf(site, (sites[site] as Site).store);
    this.key = own.key;
    this.site = site;
    this.#own = createPacer({ ...rest, store: own.store, every: own.everyMs, strict: false });
    this.#options = { everyMs: own.everyMs, stealAfterMs: checkDuration("stealAfter", stealAfter ?? own.everyMs, 0) };
    this.#neighbours = Object.entries(sites)
      .filter(([name]) => name !== site)
      .map(([name, { store }]) => ({ name, client: new PermitClient(settingsOf(name, store)), restUntilMs: 0 }));
  }

  /** Permits taken from other sites so far. */
  get stolen(): number {
    return this.#stolen;
  }

  /**
   * Waits for a permit of the own part or, once it has waited `stealAfter`, an unused one of another site. Settles as `Pacer.acquire` does; errors are those of
   * the own store, as another site's never fail a caller.
   */
  async acquire(options: PermitOptions = {}): Promise<GroupedPermit | undefined> {
    const gone = new AbortController();
    const onAbort = (): void => gone.abort(options.signal?.reason);
    if (options.signal?.aborted) throw options.signal.reason;
    options.signal?.addEventListener("abort", onAbort, { once: true });
    const stolen: { site?: string } = {};
    const own = this.#own.acquire({ ...options, signal: gone.signal });
    const thief = this.#steal(options.cost ?? 1, gone.signal, (site) => {
      stolen.site = site;
      gone.abort();
    });
    try {
      const permit = await own;
      return permit && { ...permit, site: this.site };
    } catch (error) {
      if (stolen.site === undefined) throw error;
      this.#stolen += 1;
      return { lateMs: 0, site: stolen.site };
    } finally {
      gone.abort();
      options.signal?.removeEventListener("abort", onAbort);
      void thief;
    }
  }

  /** Refuses those who wait and ends. Idempotent. Does not close the stores. */
  async close(): Promise<void> {
    await this.#own.close();
    await Promise.all(this.#neighbours.map(({ client }) => client.settled()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Tries the other sites in turn, once each own interval, until one gives a permit or the caller is gone. */
  async #steal(cost: number, gone: AbortSignal, take: (site: string) => void): Promise<void> {
    if (this.#neighbours.length === 0) return;
    for (let waitMs = this.#options.stealAfterMs; ; waitMs = this.#options.everyMs) {
      await this.#pause(waitMs, gone);
      this.#first = (this.#first + 1) % this.#neighbours.length;
      for (let i = 0; i < this.#neighbours.length; i++) {
        if (gone.aborted) return;
        const neighbour = this.#neighbours[(this.#first + i) % this.#neighbours.length] as Neighbour;
        const id = await this.#tryTake(neighbour, cost);
        if (id === undefined) continue;
        // The own permit came meanwhile: what was taken goes back.
        if (gone.aborted) neighbour.client.release(id, 0);
        else take(neighbour.name);
        return;
      }
    }
  }

  /** Takes a permit that is free at this instant at another site; reserves nothing ahead there. */
  async #tryTake(neighbour: Neighbour, cost: number): Promise<string | undefined> {
    const { client } = neighbour;
    const { runtime } = client;
    if (runtime.now() < neighbour.restUntilMs) return undefined;
    const id = randomId(runtime);
    try {
      const { granted } = await client.reserve({ id, count: 1, cost, maxReserved: 0, queueMs: 0 });
      return granted > 0 ? id : undefined;
    } catch (error) {
      neighbour.restUntilMs = runtime.now() + SITE_REST_MS;
      if (isDtError(error) && error.outcome === "unknown") client.release(id, 0);
      return undefined;
    }
  }

  #pause(ms: number, gone: AbortSignal): Promise<void> {
    const { runtime } = (this.#neighbours[0] as Neighbour).client;
    return new Promise((resolve) => {
      const timer = runtime.setTimer(done, ms);
      function done(): void {
        timer.cancel();
        gone.removeEventListener("abort", done);
        resolve();
      }
      if (gone.aborted) done();
      else gone.addEventListener("abort", done, { once: true });
    });
  }
}

function checkSites(sites: unknown, site: unknown): Map<string, number> {
  if (typeof sites !== "object" || sites === null || Object.keys(sites).length === 0)
    throw invalidOption("sites", sites, "give every site by name: { eu: { store }, us: { store } }");
  if (typeof site !== "string" || !(site in sites))
    throw invalidOption("site", site, `give the name of this process's site, one of ${Object.keys(sites).join(", ")}`);
  const weights = new Map<string, number>();
  for (const [name, { weight = 1 }] of Object.entries(sites as Record<string, Site>)) {
    if (typeof weight !== "number" || !Number.isFinite(weight) || weight <= 0)
      throw invalidOption(`sites.${name}.weight`, weight, "give a number > 0");
    weights.set(name, weight);
  }
  return weights;
}

/**
 * Creates a pacer whose total is divided among sites, each with its own store.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function createGroupedPacer(options: GroupedPacerOptions): GroupedPacer {
  return new GroupedPacer(options);
}

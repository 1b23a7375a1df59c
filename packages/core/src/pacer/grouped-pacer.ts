import type { PermitLedger } from "../contract/permit-ledger.ts";
import { checkDuration, checkKeys, checkSignal, invalidOption } from "../internal/check.ts";
import type { Duration } from "../internal/duration.ts";
import { markVersion } from "../internal/version.ts";
import type { WithoutTimeout } from "../internal/waiting-queue.ts";
import { whenAborted } from "../internal/when-aborted.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Permit } from "./cost-queue.ts";
import { Pacer, type PermitOptions } from "./pacer.ts";
import {
  checkLedger,
  checkPacerOptions,
  PACER_OPTIONS,
  type PacerOptions,
  type PacerSettings,
} from "./pacer-options.ts";
import { PermitClient } from "./permit-client.ts";
import { SiteAgreement } from "./site-agreement.ts";
import { divideAmongSites, type SitePart } from "./site-parts.ts";
import { siteTerms } from "./site-terms.ts";
import { Stealing, type StolenPermit } from "./stealing.ts";

/** One group of workers with a store of its own, such as a data centre. */
export interface Site {
  readonly store: PermitLedger;
  /** Its part of the total, relative to the others. Default 1. */
  readonly weight?: number;
}

/**
 * Options of `createGroupedPacer`: those of a pacer, whose `every` or `rate`, and `burst`, are the total of all sites,
 * and the sites.
 */
export interface GroupedPacerOptions extends Omit<PacerOptions, "store"> {
  /**
   * Every site of the total by name, the same in all processes: those with another list are refused
   * (`DT_PACE_MISMATCH`).
   */
  readonly sites: Readonly<Record<string, Site>>;
  /** The site of this process. */
  readonly site: string;
  /**
   * The bias towards the own part: only a caller that has waited this long tries to take from others. Default the
   * distance between two permits of the own part.
   */
  readonly stealAfter?: Duration;
}

const GROUP_OPTIONS: ReadonlySet<string> = new Set<string>([
  ...PACER_OPTIONS.filter((name) => name !== "store"),
  ...(["sites", "site", "stealAfter"] satisfies (keyof GroupedPacerOptions)[]),
]);
const SITE_OPTIONS: ReadonlySet<string> = new Set<keyof Site>(["store", "weight"]);

/** A permit and the site whose part it came from. */
export interface GroupedPermit extends Permit {
  readonly site: string;
}

/**
 * Divides a total among sites, each with its own store. A busy site takes what others leave unused, and only
 * that: it never reserves ahead of another site's own workers. A site cut off from the others goes on with its part.
 * The total is never exceeded, since every permit comes from exactly one part: in any t seconds at most `rate` x t
 * permits and `burst`, or as many as there are sites if these are more. Made by {@link createGroupedPacer}.
 */
export class GroupedPacer {
  static {
    markVersion(GroupedPacer.prototype);
  }

  readonly name: string;
  readonly site: string;
  readonly #own: Pacer;
  readonly #stealing: Stealing;
  readonly #agreement: SiteAgreement;
  readonly #runtime: Runtime;
  #stolen = 0;

  /** Use {@link createGroupedPacer}. */
  constructor(options: GroupedPacerOptions) {
    checkKeys("options", options, GROUP_OPTIONS);
    const { sites, site, stealAfter, every, rate, strict, ...rest } = options;
    const weights = checkSites(sites, site);
    const given = { ...rest, ...(every === undefined ? {} : { every }), ...(rate === undefined ? {} : { rate }) };
    const total = checkPacerOptions({ ...given, store: (sites[site] as Site).store });
    const parts = divideAmongSites(total, weights);
    // Each part is a pacer of its own, with the defaults that follow from its own distance.
    const partOf = (name: string): PacerSettings =>
      checkPacerOptions({
        ...rest,
        ...(strict === undefined ? {} : { strict }),
        store: (sites[name] as Site).store,
        every: (parts.get(name) as SitePart).everyMs,
        burst: (parts.get(name) as SitePart).burst,
      });
    const all = new Map([...parts.keys()].map((name) => [name, partOf(name)]));
    const terms = siteTerms(new Map([...all].map(([name, part]) => [name, part.terms])));
    const own = { ...(all.get(site) as PacerSettings), terms };
    this.name = own.name;
    this.site = site;
    this.#runtime = own.runtime;
    const assure = (): Promise<void> => this.#agreement.assure();
    this.#own = new Pacer(own, new PermitClient(own, assure));
    const neighbours = Object.keys(sites)
      .filter((name) => name !== site)
      .map((name) => ({ name, client: new PermitClient({ ...(all.get(name) as PacerSettings), terms }, assure) }));
    this.#agreement = new SiteAgreement(own.runtime, neighbours, () => this.#own.waiting > 0);
    const stealAfterMs = checkDuration("stealAfter", stealAfter ?? own.everyMs, 0);
    this.#stealing = new Stealing(own.runtime, neighbours, { stealAfterMs, everyMs: own.everyMs });
  }

  /** The sites and their parts, on which all pacers of the name must agree, as text: see the option `replaces`. */
  get terms(): string {
    return this.#own.terms;
  }

  /** Permits taken from other sites so far. */
  get stolen(): number {
    return this.#stolen;
  }

  /** Callers waiting. */
  get waiting(): number {
    return this.#own.waiting;
  }

  /** Permits of the own part that were wasted, as {@link Pacer.wasted}. */
  get wasted(): number {
    return this.#own.wasted;
  }

  /**
   * Waits for a permit of the own part or, once it has waited `stealAfter`, an unused one of another site, which goes
   * to whoever has waited longest. Settles as `Pacer.acquire` does; errors are those of the own store, as another
   * site's never fail a caller.
   */
  acquire(options?: WithoutTimeout<PermitOptions>): Promise<GroupedPermit>;
  acquire(options: PermitOptions): Promise<GroupedPermit | undefined>;
  async acquire(options: PermitOptions = {}): Promise<GroupedPermit | undefined> {
    const signal = checkSignal(options?.signal);
    if (signal?.aborted) throw signal.reason;
    const gone = new AbortController();
    const stopListening = signal && whenAborted(signal, () => gone.abort(signal.reason));
    let stolen: StolenPermit | undefined;
    const waiter = {
      cost: options?.cost ?? 1,
      sinceMs: this.#runtime.now(),
      take: (taken: StolenPermit): boolean => {
        if (gone.signal.aborted) return false;
        stolen = taken;
        gone.abort();
        return true;
      },
    };
    const own = this.#own.acquire({ ...options, signal: gone.signal });
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
    if (permit || !stolen) return permit && { ...permit, site: this.site };
    this.#stolen += 1;
    return { lateMs: stolen.lateMs, site: stolen.site };
  }

  /** Refuses those who wait and ends. Idempotent. Does not close the stores. */
  async stop(): Promise<void> {
    await Promise.all([this.#own.stop(), this.#stealing.close(), this.#agreement.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

function checkSites(sites: unknown, site: unknown): Map<string, number> {
  if (typeof sites !== "object" || sites === null || Object.keys(sites).length === 0)
    throw invalidOption("sites", sites, "give every site by name: { eu: { store }, us: { store } }");
  if (typeof site !== "string" || !Object.hasOwn(sites, site))
    throw invalidOption("site", site, `give the name of this process's site, one of ${Object.keys(sites).join(", ")}`);
  const weights = new Map<string, number>();
  const stores = new Map<PermitLedger, string>();
  for (const [name, entry] of Object.entries(sites as Record<string, Site>)) {
    if (typeof entry !== "object" || entry === null)
      throw invalidOption(`sites.${name}`, entry, "give { store } or { store, weight }");
    checkKeys(`sites.${name}`, entry, SITE_OPTIONS, `sites.${name}.`);
    const { store, weight = 1 } = entry;
    const other = stores.get(checkLedger(`sites.${name}.store`, store));
    if (other !== undefined)
      throw invalidOption(`sites.${name}.store`, store, `give each site a store of its own; this is that of ${other}`);
    stores.set(store, name);
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

import type { PermitLedger } from "../contract/permit-ledger.ts";
import { checkDuration, checkKeys, invalidOption } from "../internal/check.ts";
import type { Duration } from "../internal/duration.ts";
import {
  checkLedger,
  checkPacerOptions,
  PACER_OPTIONS,
  type PacerOptions,
  type PacerSettings,
} from "./pacer-options.ts";
import type { Permit } from "./permit.ts";
import { divideAmongSites } from "./site-parts.ts";
import { siteTerms } from "./site-terms.ts";

/** Processes with a store of their own, such as those of one data centre. */
export interface Site {
  /** Where the permits of this site are reserved. */
  readonly store: PermitLedger;
  /**
   * The site's part of the total, relative to the others.
   * @default 1
   */
  readonly weight?: number;
}

/**
 * Options of `createGroupedPacer`: those of a pacer, and the sites. `every` or `rate`, and `burst`, are the total of
 * all sites.
 */
export interface GroupedPacerOptions extends Omit<PacerOptions, "store"> {
  /**
   * Every site of the total by name, the same in all processes. A process with another list is refused with
   * `DT_PACE_MISMATCH`.
   */
  readonly sites: Readonly<Record<string, Site>>;
  /** The site of this process. */
  readonly site: string;
  /**
   * How long a caller must have waited before it may take a permit of another site: the bias towards the own part.
   * @default the distance between two permits of the own part
   */
  readonly stealAfter?: Duration;
}

/** A permit and the site whose part it came from. */
export interface GroupedPermit extends Permit {
  /** The name of the site. */
  readonly site: string;
}

/** Options, validated and in milliseconds; each part as the settings of a pacer of its own. */
export interface GroupedPacerSettings {
  readonly site: string;
  readonly own: PacerSettings;
  readonly others: ReadonlyMap<string, PacerSettings>;
  readonly stealAfterMs: number;
}

const GROUP_OPTIONS: ReadonlySet<string> = new Set<string>([
  ...PACER_OPTIONS.filter((name) => name !== "store"),
  ...(["sites", "site", "stealAfter"] satisfies (keyof GroupedPacerOptions)[]),
]);
const SITE_OPTIONS: ReadonlySet<string> = new Set<keyof Site>(["store", "weight"]);

/**
 * Checks every option once, at the public door, and divides the total.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkGroupedPacerOptions(options: GroupedPacerOptions): GroupedPacerSettings {
  checkKeys("options", options, GROUP_OPTIONS);
  const { sites, site, stealAfter, every, rate, burst, ...rest } = options;
  const weights = checkSites(sites, site);
  const given = Object.fromEntries(Object.entries({ every, rate, burst }).filter(([, value]) => value !== undefined));
  const storeOf = (name: string): PermitLedger => (sites[name] as Site).store;
  const { strict: _, ...lenient } = rest;
  // The total's distance is that of calls: the life of a permit is added to each part's.
  const parts = divideAmongSites(checkPacerOptions({ ...lenient, ...given, store: storeOf(site) }), weights);
  // Each part is a pacer of its own, with the defaults that follow from its own distance.
  const all = [...parts].map(([name, part]): [string, PacerSettings] => [
    name,
    checkPacerOptions({ ...rest, store: storeOf(name), every: part.everyMs, burst: part.burst }),
  ]);
  // A limit that lives in its site's store is none to agree on. The sites are.
  const terms = siteTerms(new Map(all.map(([name, part]) => [name, part.stored ? "stored" : part.terms])));
  const settings = new Map(all.map(([name, part]) => [name, { ...part, terms, hasTerms: true }]));
  const own = settings.get(site) as PacerSettings;
  settings.delete(site);
  return { site, own, others: settings, stealAfterMs: checkDuration("stealAfter", stealAfter ?? own.everyMs, 0) };
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

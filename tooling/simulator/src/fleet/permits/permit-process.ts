import { createGroupedPacer, createPacer, type GroupedPacer, type Pacer, type PermitLedger } from "@dt/core";
import { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import { CallerCrowd, DEAREST, type Permits } from "./caller-crowd.ts";
import type { GroupPlan } from "./group-plan.ts";
import type { LedgerServer } from "./ledger-server.ts";
import type { PermitBug } from "./permit-bugs.ts";
import { PermitLink } from "./permit-link.ts";
import type { PermitPlan, ProcessPlan } from "./permit-plan.ts";
import { ProcessHost } from "./process-host.ts";

/** The site of a world that has one. */
export const ONLY_SITE = "";

/** One process: a clock of its own, callers, and a pacer with a link to the store of each site. */
export class PermitProcess<World extends PermitPlan | GroupPlan> {
  readonly host: ProcessHost;
  readonly site: string;
  readonly links: ReadonlyMap<string, PermitLink>;
  readonly pacer: World extends GroupPlan ? GroupedPacer : Pacer;
  readonly crowd: CallerCrowd;
  closed = false;

  constructor(
    world: World,
    index: number,
    timeline: Timeline,
    servers: ReadonlyMap<string, LedgerServer>,
    bug?: PermitBug,
  ) {
    const plan = world.processes[index] as ProcessPlan;
    const random = new Random(world.seed, `process ${index}`);
    const sites = "sites" in world ? world.sites : [{ name: ONLY_SITE, weight: 1, outages: world.outages }];
    this.site = (sites[index % sites.length] as GroupPlan["sites"][number]).name;
    this.host = new ProcessHost(plan, timeline, random);
    this.links = new Map(
      sites.map(({ name, outages }) => [
        name,
        new PermitLink({
          plan: { ...world, outages },
          process: index,
          timeline,
          server: servers.get(name) as LedgerServer,
          random: new Random(world.seed, name === ONLY_SITE ? `link ${index}` : `link ${index} ${name}`),
          deliver: (run) => this.host.deliver(run),
        }),
      ]),
    );
    const { everyMs, burst, maxReserved, permitTtlMs, strict, block } = world;
    const { runtime } = this.host;
    const options = {
      ...{ name: "k", runtime: bug?.runtime?.(runtime) ?? runtime, every: everyMs, maxCost: DEAREST },
      ...{ burst, maxReserved, permitTtl: permitTtlMs, strict, block },
    };
    const storeOf = (name: string): PermitLedger => {
      const link = this.links.get(name) as PermitLink;
      return bug?.store?.(link) ?? link;
    };
    let permits: Permits;
    if ("sites" in world) {
      const parts = sites.map(({ name, weight }) => [name, { store: storeOf(name), weight }]);
      const stealAfter = world.stealAfterMs;
      const pacer = createGroupedPacer({ ...options, sites: Object.fromEntries(parts), site: this.site, stealAfter });
      permits = pacer;
      this.pacer = pacer as typeof this.pacer;
    } else {
      const pacer = createPacer({ ...options, store: storeOf(ONLY_SITE) });
      permits = pacer;
      this.pacer = pacer as typeof this.pacer;
    }
    const chances = { callers: random, priorities: new Random(world.seed, `priorities ${index}`) };
    this.crowd = new CallerCrowd(world, this.host, timeline, chances, permits);
    for (const { atMs, callers } of plan.bursts)
      timeline.at(atMs, () => this.host.deliver(() => this.crowd.come(callers)));
    timeline.at(world.activeMs, () => this.host.deliver(() => this.#close()));
  }

  /** Its way to the store of its own site. */
  get link(): PermitLink {
    return this.links.get(this.site) as PermitLink;
  }

  #close(): void {
    this.crowd.over = true;
    void this.pacer.stop().then(() => {
      this.closed = true;
    });
  }
}

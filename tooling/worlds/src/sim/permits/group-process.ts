import { createGroupedPacer, type GroupedPacer } from "@dt/core";
import { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import { CallerCrowd, DEAREST } from "./caller-crowd.ts";
import type { GroupPlan } from "./group-plan.ts";
import type { LedgerServer } from "./ledger-server.ts";
import type { PermitBug } from "./permit-bugs.ts";
import { PermitLink } from "./permit-link.ts";
import type { ProcessPlan } from "./permit-plan.ts";
import { ProcessHost } from "./process-host.ts";

/** One process of one site, with a link to each. */
export class GroupProcess {
  readonly site: string;
  readonly host: ProcessHost;
  readonly links: ReadonlyMap<string, PermitLink>;
  readonly pacer: GroupedPacer;
  readonly crowd: CallerCrowd;
  closed = false;

  constructor(
    world: GroupPlan,
    index: number,
    timeline: Timeline,
    servers: ReadonlyMap<string, LedgerServer>,
    bug?: PermitBug,
  ) {
    const plan = world.processes[index] as ProcessPlan;
    const random = new Random(world.seed, `process ${index}`);
    this.site = (world.sites[index % world.sites.length] as GroupPlan["sites"][number]).name;
    this.host = new ProcessHost(plan, timeline, random);
    this.links = new Map(
      world.sites.map(({ name, outages }) => [
        name,
        new PermitLink({
          plan: { ...world, outages },
          process: index,
          timeline,
          server: servers.get(name) as LedgerServer,
          random: new Random(world.seed, `link ${index} ${name}`),
          deliver: (run) => this.host.deliver(run),
        }),
      ]),
    );
    const { everyMs, burst, maxReserved, permitTtlMs, strict, block } = world;
    this.pacer = createGroupedPacer({
      key: "k",
      sites: Object.fromEntries(
        world.sites.map(({ name, weight }) => {
          const link = this.links.get(name) as PermitLink;
          return [name, { store: bug?.store?.(link) ?? link, weight }];
        }),
      ),
      site: this.site,
      stealAfter: world.stealAfterMs,
      runtime: bug?.runtime?.(this.host.runtime) ?? this.host.runtime,
      every: everyMs,
      burst,
      maxReserved,
      maxCost: DEAREST,
      permitTtl: permitTtlMs,
      strict,
      block,
    });
    this.crowd = new CallerCrowd(world, this.host, timeline, random, {
      acquire: (options) => this.pacer.acquire(options),
    });
    for (const { atMs, callers } of plan.bursts)
      timeline.at(atMs, () => this.host.deliver(() => this.crowd.come(callers)));
    timeline.at(world.activeMs, () => this.host.deliver(() => this.#close()));
  }

  #close(): void {
    this.crowd.over = true;
    void this.pacer.stop().then(() => {
      this.closed = true;
    });
  }
}

import { createPacer, type Pacer } from "@dt/core";
import { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import { CallerCrowd, DEAREST } from "./caller-crowd.ts";
import type { LedgerServer } from "./ledger-server.ts";
import type { PermitBug } from "./permit-bugs.ts";
import { PermitLink } from "./permit-link.ts";
import type { PermitPlan, ProcessPlan } from "./permit-plan.ts";
import { ProcessHost } from "./process-host.ts";

/** One process: a clock of its own, a pacer, and callers. */
export class PermitProcess {
  readonly host: ProcessHost;
  readonly link: PermitLink;
  readonly pacer: Pacer;
  readonly crowd: CallerCrowd;
  closed = false;

  constructor(world: PermitPlan, index: number, timeline: Timeline, server: LedgerServer, bug?: PermitBug) {
    const plan = world.processes[index] as ProcessPlan;
    const random = new Random(world.seed, `process ${index}`);
    this.host = new ProcessHost(plan, timeline, random);
    this.link = new PermitLink({
      plan: world,
      process: index,
      timeline,
      server,
      random: new Random(world.seed, `link ${index}`),
      deliver: (run) => this.host.deliver(run),
    });
    const { everyMs, burst, maxReserved, permitTtlMs, strict, block } = world;
    this.pacer = createPacer({
      key: "k",
      store: bug?.store?.(this.link) ?? this.link,
      runtime: bug?.runtime?.(this.host.runtime) ?? this.host.runtime,
      every: everyMs,
      burst,
      maxReserved,
      maxCost: DEAREST,
      permitTtl: permitTtlMs,
      strict,
      block,
    });
    this.crowd = new CallerCrowd(world, this.host, timeline, random, this.pacer);
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

import { DtError, type PermitLedger, type PermitRelease, type PermitRequest, type Reservation } from "@dt/core";
import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { LedgerServer } from "./ledger-server.ts";
import type { PermitPlan } from "./permit-plan.ts";

/** What became of a request of this process, as far as it can know. */
export interface Asked {
  readonly queues: boolean;
  /**
   * The last word: a grant; a refusal or an error that says so; or nothing, so that it may stand reserved or in the
   * queue.
   */
  answer: "granted" | "refused" | "unknown";
  granted: number;
  /** How many of its permits the process has not given back; everything it may have been granted, until it did. */
  kept: number;
}

/** Such a request is for no permit that anybody would use. */
export function saysTermsAlone({ cost }: PermitRequest): boolean {
  return cost < 1e-6;
}

/** What a link needs of its surroundings. */
export interface LinkOptions {
  readonly plan: PermitPlan;
  readonly process: number;
  readonly timeline: Timeline;
  readonly server: LedgerServer;
  readonly random: Random;
  /** Runs in the process: now, when it wakes, or never. */
  readonly deliver: (run: () => void) => void;
}

/**
 * One process's way to the ledger: calls and answers take time, get lost, come twice or very late; the store may be
 * stopped or gone.
 */
export class PermitLink implements PermitLedger {
  readonly asked = new Map<string, Asked>();
  readonly #options: LinkOptions;
  readonly #listeners = new Set<() => void>();
  declare onPermitHint?: NonNullable<PermitLedger["onPermitHint"]>;

  constructor(options: LinkOptions) {
    this.#options = options;
    if (options.plan.hints)
      this.onPermitHint = async (_key, onFreed) => {
        this.#listeners.add(onFreed);
        return () => this.#listeners.delete(onFreed);
      };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  reserve(_key: string, request: PermitRequest, signal?: AbortSignal): Promise<Reservation> {
    const { server, process } = this.#options;
    if (saysTermsAlone(request)) {
      const nothing = (): void => undefined;
      return this.#call(() => server.reserve(process, request), nothing, nothing);
    }
    const asked = this.asked.get(request.id) ?? {
      queues: request.queueMs > 0,
      answer: "unknown",
      granted: 0,
      kept: Number.POSITIVE_INFINITY,
    };
    this.asked.set(request.id, asked);
    asked.answer = "unknown";
    return this.#call(
      () => server.reserve(process, request),
      ({ granted }) => {
        if (signal?.aborted) return;
        asked.answer = granted > 0 ? "granted" : "refused";
        asked.granted = granted;
      },
      () => {
        if (!signal?.aborted) asked.answer = "refused";
      },
    );
  }

  release(_key: string, release: PermitRelease): Promise<void> {
    const asked = this.asked.get(release.id);
    if (asked) asked.kept = Math.min(asked.kept, release.keep);
    const nothing = (): void => undefined;
    return this.#call(() => this.#options.server.release(release), nothing, nothing);
  }

  /** A hint on its way: it may be lost or come twice. */
  hint(): void {
    const { random, timeline, deliver } = this.#options;
    for (let copies = this.#faulty() ? random.pick([0, 2]) : 1; copies > 0; copies--)
      timeline.after(this.#wayMs(), () => deliver(() => this.#notify()));
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #call<T>(act: () => T, received: (answer: T) => void, refused: () => void): Promise<T> {
    const { timeline, random, deliver } = this.#options;
    let settled = false;
    return new Promise((resolve, reject) => {
      const answer = (run: () => void): void => {
        if (!this.#faulty() || random.chance(0.5)) timeline.after(this.#wayMs(), () => deliver(run));
      };
      const arrive = (): void => {
        const outage = this.#outage();
        if (outage?.refuses)
          answer(() => {
            if (!settled) refused();
            settled = true;
            reject(new DtError("DT_STORE_UNAVAILABLE", "connection refused", { effect: "definite" }));
          });
        else if (outage) timeline.at(outage.untilMs + random.between(0, 5), arrive);
        else {
          const result = act();
          answer(() => {
            // A second answer to a repeated call is nobody's.
            if (!settled) received(result);
            settled = true;
            resolve(result);
          });
        }
      };
      const copies = this.#faulty() ? random.pick([0, 1, 2]) : 1;
      for (let i = 0; i < copies; i++) timeline.after(this.#wayMs(), arrive);
    });
  }

  #outage(): PermitPlan["outages"][number] | undefined {
    const { plan, timeline } = this.#options;
    return plan.outages.find(({ fromMs, untilMs }) => fromMs <= timeline.nowMs && timeline.nowMs < untilMs);
  }

  #faulty(): boolean {
    const { plan, process, random, timeline } = this.#options;
    return timeline.nowMs < plan.activeMs && random.chance(plan.processes[process]?.fault ?? 0);
  }

  #wayMs(): number {
    const { plan, process, random } = this.#options;
    const { latencyMs } = plan.processes[process] as PermitPlan["processes"][number];
    if (this.#faulty()) return random.between(0, 2_500);
    return latencyMs * random.between(0.5, plan.profile === "storm" && random.chance(0.05) ? 10 : 1.2);
  }
}

import { Random } from "../random.ts";
import type { Admission } from "./admission.ts";
import { Arrivals } from "./arrivals.ts";
import { startOf } from "./ideal.ts";
import type { Clients, Scenario } from "./scenario.ts";
import { type ServiceTimes, serviceTimes } from "./service.ts";

/**
 * One client. Its calls are drawn in the order in which they come, whether they are sent or not: with the same seed,
 * every limiter meets the same calls at the same times, as far as the load is open.
 */
export class Client {
  readonly admission: Admission;
  readonly startMs: number;
  readonly oneWayMs: number;
  /** Of the call that was drawn last. */
  cost = 1;
  serviceMs = 0;
  failing = false;
  readonly #kind: Clients;
  readonly #service: ServiceTimes;
  readonly #times: Random;
  readonly #work: Random;
  readonly #arrivals: Arrivals | undefined;

  constructor(kind: Clients, startMs: number, service: ServiceTimes, seed: number, name: string, admission: Admission) {
    this.#kind = kind;
    this.#service = service;
    this.startMs = startMs;
    this.oneWayMs = (kind.roundTripMs ?? 2) / 2;
    this.admission = admission;
    this.#times = new Random(seed, `arrivals of ${name}`);
    this.#work = new Random(seed, `work of ${name}`);
    this.#arrivals = kind.load.kind === "open" ? new Arrivals(kind.load, this.#times) : undefined;
  }

  /** When its first calls come: one, or one for each user. */
  firstMs(): number[] {
    const { load } = this.#kind;
    if (load.kind === "open") return [this.nextMs(this.startMs)];
    return Array.from({ length: load.users }, () => this.startMs + this.thinkMs());
  }

  /** The call after this one; Infinity where calls come when answers do. */
  nextMs(nowMs: number): number {
    return this.#arrivals?.after(nowMs) ?? Number.POSITIVE_INFINITY;
  }

  /** How long a user thinks; NaN where there are none. */
  thinkMs(): number {
    const { load } = this.#kind;
    return load.kind === "open" ? Number.NaN : -load.thinkMs * Math.log1p(-this.#times.next());
  }

  /** Draws the next call. */
  draw(failures: number): void {
    const { cost = 1 } = this.#kind;
    const work = this.#work;
    this.cost = typeof cost === "number" ? cost : picked(cost, work.next());
    this.serviceMs = this.#service.at(work.next());
    this.failing = failures > 0 && work.next() < failures;
  }
}

export function clientsOf(
  { clients, callee }: Scenario,
  seed: number,
  admission: (name: string, limiter: string | undefined) => Admission,
): Client[] {
  const service = serviceTimes(callee.service);
  return clients.flatMap((kind, number) =>
    Array.from({ length: kind.count ?? 1 }, (_, index) => {
      const name = `client ${number}.${index}`;
      return new Client(kind, 1_000 * startOf(kind, index), service, seed, name, admission(name, kind.limiter));
    }),
  );
}

function picked(costs: readonly { readonly cost: number; readonly share: number }[], part: number): number {
  let left = part * costs.reduce((sum, { share }) => sum + share, 0);
  for (const { cost, share } of costs) {
    left -= share;
    if (left < 0) return cost;
  }
  return (costs[costs.length - 1] as { readonly cost: number }).cost;
}

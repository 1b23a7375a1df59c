import type { CoordinationStore, Demand, Report, Use } from "@dt/core";
import { type CaseContext, SHORT_MS } from "./context.ts";
import { isMemberView, type Member } from "./member.ts";

/**
 * Milliseconds between two calls of a worker, at most: many more calls per stale age than a member makes, on a slow
 * store, too.
 */
const PAUSE_MS = 12;

/** Short, so that tokens are given up in many epochs. */
const INTERVAL_MS = 150;

/** What a schedule is made of. */
export interface ChurnOptions {
  readonly workers: number;
  readonly clients: number;
  /**
   * Must waterLevel by every member count up to `workers`, so that there are no remainders and the sum has an exact
   * bound.
   */
  readonly capacity: number;
  readonly forMs: number;
  /** How many of the workers share by demand (R21). Default 0. */
  readonly byDemand?: number;
}

/** A process that comes, goes, crashes and comes back, and keeps the protocol while it lives. */
interface Worker {
  readonly store: CoordinationStore;
  readonly byDemand: boolean;
  member: Member | undefined;
  /** Tokens that it uses at most. Lowered before the report that says so is sent; raised when the answer arrives. */
  inUse: number;
  /** A share is used for half a stale age after the request was sent, like a member's validity. */
  validUntilMs: number;
}

/**
 * Lets workers do as they please for a while, with the seed's chance, and checks after every answer that what all of
 * them may use together is within the capacity. Then those that share by demand leave, and the survivors must agree and
 * share all of it.
 */
export async function churn(context: CaseContext, options: ChurnOptions): Promise<void> {
  const group = context.group();
  const stores: CoordinationStore[] = [];
  for (let i = 0; i < options.clients; i++) stores.push(await context.client());
  const workers = Array.from(
    { length: options.workers },
    (_, i): Worker => ({
      store: stores[i % stores.length] as CoordinationStore,
      byDemand: i < (options.byDemand ?? 0),
      member: undefined,
      inUse: 0,
      validUntilMs: 0,
    }),
  );
  const declared = { max: options.capacity, staleAfterMs: context.ms(SHORT_MS), intervalMs: context.ms(INTERVAL_MS) };
  const endMs = context.now() + options.forMs;
  const check = (): void => checkSum(context, workers, options.capacity);
  const live = async (worker: Worker): Promise<void> => {
    while (context.now() < endMs) {
      await step(context, worker, group, declared);
      check();
      await context.pause(context.random() * PAUSE_MS);
    }
  };
  const look = async (): Promise<void> => {
    while (context.now() < endMs) {
      const snapshot = await (stores[0] as CoordinationStore).inspect(group);
      context.that(
        snapshot.held <= options.capacity,
        `the members are recorded as holding ${snapshot.held} of ${options.capacity}`,
        "R7",
      );
      await context.pause(20);
    }
  };
  await Promise.all([...workers.map(live), look()]);
  await convergence(context, workers, options);
}

async function step(
  context: CaseContext,
  worker: Worker,
  group: string,
  options: { max: number; staleAfterMs: number; intervalMs: number },
): Promise<void> {
  const { member } = worker;
  const chance = context.random();
  if (!member) {
    const joining = context.member(worker.store, group, options);
    await take(context, worker, joining, () => joining.register(someDemand(context, worker, joining)));
  } else if (chance < 0.08) {
    worker.inUse = 0;
    worker.member = undefined;
    await member.leave(null, someUse(context, member));
  } else if (chance < 0.12) {
    context.note(`${member.ref.id} crashes`);
    worker.inUse = 0;
    worker.member = undefined;
  } else if (chance < 0.2) {
    // Both an old report and the current one, as a network that repeats and reorders delivers them.
    const late: Report = member.report();
    const demand = someDemand(context, worker, member);
    await Promise.all([
      take(context, worker, member, () => member.sync(demand)),
      worker.store.sync(group, member.ref, { ...late, ...demand }),
    ]);
  } else {
    // Who shares by demand has to give something up, so that others are raised.
    if (worker.byDemand && chance < 0.5) member.held = Math.floor(member.held * context.random());
    const said = { ...someUse(context, member), ...someDemand(context, worker, member) };
    await take(context, worker, member, () => member.sync(said));
  }
}

/** What it says that it used: nothing now and then, and as little or as much as it may have of the newest epochs. */
function someUse(context: CaseContext, { observedMs, options, held }: Member): { readonly use?: Use } {
  if (context.random() < 0.2) return {};
  const newest = Math.floor(observedMs / options.intervalMs);
  const epoch = Math.max(0, context.random() < 0.2 ? newest - 1 : newest);
  return { use: { epoch, used: Math.round(context.random() * held) } };
}

/** Nothing, a part of what there is, all of it, or more than anybody has. */
function someDemand(
  context: CaseContext,
  { byDemand }: Worker,
  { options: { max, intervalMs } }: Member,
): { readonly demand?: Demand } {
  if (!byDemand) return {};
  const wants = [0, Math.floor(max * context.random()), max, 1e12];
  return { demand: { want: wants[Math.floor(context.random() * wants.length)] ?? 0, syncMs: intervalMs } };
}

/** Sends a request and uses what it is answered. */
async function take(
  context: CaseContext,
  worker: Worker,
  member: Member,
  send: () => ReturnType<Member["sync"]>,
): Promise<void> {
  // What a report says is in use is what it is from the moment it is sent.
  worker.inUse = Math.min(worker.inUse, member.held);
  const sentMs = context.now();
  const view = await send();
  if (!isMemberView(view)) {
    context.that(
      view.status === "unknown" && context.now() >= worker.validUntilMs,
      `${member.ref.id} was answered ${view.status} within half its stale age after its last heartbeat`,
      "R4",
    );
    worker.inUse = 0;
    worker.member = undefined;
    return;
  }
  worker.member = member;
  worker.inUse = member.held;
  worker.validUntilMs = sentMs + member.options.staleAfterMs / 2;
}

function checkSum(context: CaseContext, workers: readonly Worker[], capacity: number): void {
  const nowMs = context.now();
  const using = workers.filter((worker) => worker.inUse > 0 && nowMs < worker.validUntilMs);
  const sum = using.reduce((total, worker) => total + worker.inUse, 0);
  const who = using.map((worker) => `${worker.member?.ref.id}: ${worker.inUse}`).join(", ");
  context.that(
    sum <= capacity,
    `${using.length} members may use ${sum} tokens of ${capacity} at the same time (${who})`,
  );
}

async function convergence(context: CaseContext, workers: readonly Worker[], options: ChurnOptions): Promise<void> {
  context.note("no more joins, leaves and crashes");
  for (const { byDemand, member } of workers) if (byDemand) await member?.leave();
  const members = workers.flatMap(({ byDemand, member }) => (member && !byDemand ? [member] : []));
  if (members.length === 0) return;
  await context.until(async () => {
    const views = await Promise.all(members.map((member) => member.sync()));
    // One that was removed while the machine was busy joins again, as a member does.
    for (const [index, view] of views.entries()) {
      if (view.status === "unknown") await (members[index] as Member).join({ rejoin: true });
    }
    const agreed = views.every((view) => view.status === "agree" && view.members === members.length);
    return agreed ? true : undefined;
  }, `${members.length} members do not agree after the others left or crashed`);
  const sum = members.reduce((total, member) => total + member.held, 0);
  context.equal(sum, options.capacity, "sum of what the members hold once they agree", "R9");
}

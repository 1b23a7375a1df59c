import type { CoordinationStore, GroupSnapshot, MemberView } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import { type CaseContext, LONG_MS } from "../context.ts";
import type { Member } from "../member.ts";

/** Registrations at once, each a generation of its own. */
const CROWD = 16;
const ROUNDS = 9;
/** A busy machine holds up a call between its clock and its commit in one round or another, but not in most of them. */
const TOO_MANY = 5;
/** Less is what rounding and short operations make. */
const NOTICEABLE_MS = 10;
/** Short enough for a store's own deadline. */
const HELD_UP_MS = 300;

/** R2: calls that wait for each other. */
export const turns: readonly CaseDefinition[] = casesOf({ rule: "R2" }, [
  {
    name: "a call that waited for others is answered the time of its turn, and not that of its arrival",
    why: "times from before the wait for a lock come out of order; the group's time then gains on the clock with every call that overtakes another",
    needs: ["ledger", "commonClock", "separateStores"],
    async run(context) {
      const stores: CoordinationStore[] = [];
      for (let i = 0; i < CROWD; i++) stores.push(await context.client());
      const group = context.group();
      const watcher = context.member(await context.client(), group, { max: CROWD });
      const elsewhere = context.member(watcher.store, context.group());
      for (const member of [watcher, elsewhere]) await member.join();
      const before = await lead(watcher, elsewhere);
      let late = 0;
      let worst = "";
      for (let round = 0; round < ROUNDS; round++) {
        const members = Array.from({ length: CROWD }, (_, i) =>
          context.member(stores[i % stores.length] as CoordinationStore, group, { staleAfterMs: context.ms(LONG_MS) }),
        );
        const seen = await crowd(context, members, watcher.store);
        if (seen.lag && seen.lagMs > Math.max(NOTICEABLE_MS, seen.tookMs / 3)) {
          late += 1;
          worst = seen.lag;
        }
        await Promise.all(members.map((member) => member.leave()));
        await elsewhere.beat();
      }
      context.that(
        late < TOO_MANY,
        `in ${late} of ${ROUNDS} crowds a call was answered a time from before its turn: ${worst}`,
      );
      const leadMs = (await lead(watcher, elsewhere)).least - before.most;
      context.that(
        leadMs <= NOTICEABLE_MS,
        `while many called at once the group's time ran ahead of another group's by ${leadMs.toFixed(1)} ms and more`,
      );
    },
  },
  {
    name: "a call that a lock held up is answered the time at which it went on",
    why: "on a clock that is read before the lock, removals, raises and epochs are judged by a time that has passed",
    needs: ["ledger", "commonClock", "holdUp"],
    async run(context) {
      const group = await context.newGroup();
      const [a, b] = [group.member(), context.member(await context.client(), group.name)];
      await a.join();
      await b.join();
      const before = await a.beat();
      const beforeMs = context.now();
      const release = await (context.target.holdUp as (group: string) => Promise<() => Promise<void>>)(group.name);
      context.note("changes of the group are held up");
      let settled = false;
      const calls = Promise.all([a.beat(), b.register()]).finally(() => {
        settled = true;
      });
      calls.catch(() => {});
      let heldMs = 0;
      try {
        await context.sleep(HELD_UP_MS);
        heldMs = context.now() - beforeMs;
        context.that(
          !settled,
          "a call was answered while changes of the group are held up: the target's holdUp has no effect",
        );
      } finally {
        await release();
        context.note("changes of the group go on");
      }
      // The store's clock went on by as much as this process's, but for what they are slewed against each other.
      const leastMs = before.storeTimeMs + heldMs * 0.98 - NOTICEABLE_MS;
      for (const { storeTimeMs } of await calls)
        context.that(
          storeTimeMs >= leastMs,
          `a call that was held up for ${HELD_UP_MS} ms was answered ${storeTimeMs}, from ${(leastMs - storeTimeMs).toFixed(1)} ms and more before it went on`,
        );
    },
  },
]);

interface Crowd {
  readonly tookMs: number;
  /** The most that a call was answered a time from before a snapshot that does not have it yet. */
  readonly lagMs: number;
  readonly lag: string | undefined;
}

/** Lets all join at once, and meanwhile looks again and again at how far the group has come. */
async function crowd(context: CaseContext, members: readonly Member[], store: CoordinationStore): Promise<Crowd> {
  const snapshots: GroupSnapshot[] = [];
  const group = members[0]?.group as string;
  let busy = true;
  const look = async (): Promise<void> => {
    while (busy) {
      snapshots.push(await store.inspect(group));
      await context.sleep(1);
    }
  };
  const looking = look();
  // A join that fails is what the case is about then.
  looking.catch(() => {});
  const startMs = context.now();
  const views = await Promise.all(members.map((member) => member.join())).finally(() => {
    busy = false;
  });
  const tookMs = context.now() - startMs;
  await looking;
  return { tookMs, ...worstLag(views, snapshots) };
}

/** Of a call that made a generation and a snapshot with an older one, the call came later. */
function worstLag(
  views: readonly MemberView[],
  snapshots: readonly GroupSnapshot[],
): { readonly lagMs: number; readonly lag: string | undefined } {
  let lagMs = 0;
  let lag: string | undefined;
  for (const view of views) {
    for (const snapshot of snapshots) {
      const ms = snapshot.storeTimeMs - view.storeTimeMs;
      if (view.generation <= snapshot.generation || ms <= lagMs) continue;
      lagMs = ms;
      lag = `the registration that made generation ${view.generation} was answered ${view.storeTimeMs}, and the group had generation ${snapshot.generation} at ${snapshot.storeTimeMs}`;
    }
  }
  return { lagMs, lag };
}

/** How far one group's time is ahead of another's, as exactly as a few calls in turn tell. */
async function lead(member: Member, other: Member): Promise<{ readonly least: number; readonly most: number }> {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const before = (await other.beat()).storeTimeMs;
    const { storeTimeMs } = await member.beat();
    most = Math.min(most, storeTimeMs - before);
    least = Math.max(least, storeTimeMs - (await other.beat()).storeTimeMs);
  }
  return { least, most };
}

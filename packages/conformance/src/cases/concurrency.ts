import type { CoordinationStore, MemberView } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import { churn } from "../churn.ts";
import type { CaseContext } from "../context.ts";
import { slotChurn } from "../slots/slot-churn.ts";

/**
 * Divides without remainder by every member count up to 12, so that an agreement holds exactly the capacity and no
 * remainder beyond it.
 */
const CAPACITY = 27_720;
/** The most that the schedule of members by demand takes: on a slow store it waits for stale members besides. */
const MOST_MS = 5_000;

/** R1: many clients at once. */
export const concurrency: readonly CaseDefinition[] = casesOf({ rule: "R1", needs: ["ledger"] }, [
  {
    name: "under random joins, reports, leaves, crashes and repeats from many clients, what members may use never exceeds the capacity",
    why: "this is the promise that everything else is for",
    run: (context) => churn(context, { workers: 12, clients: 4, capacity: CAPACITY, forMs: context.ms(1_500) }),
  },
  {
    name: "where most share by demand, and want now nothing and now more than there is, what members may use never exceeds the capacity either",
    needs: ["ledger", "demand"],
    run: (context) =>
      churn(context, {
        workers: 10,
        clients: 4,
        capacity: CAPACITY,
        forMs: Math.min(context.ms(1_000), MOST_MS),
        byDemand: 8,
      }),
  },
  {
    name: "where many processes hand slots around, what they may use by answers and offers never exceeds the capacity, and each is served",
    needs: ["ledger", "slots"],
    run: (context) =>
      slotChurn(context, { workers: 20, clients: 4, max: 7, forMs: Math.min(context.ms(1_000), MOST_MS) }),
  },
  {
    name: "registrations at the same time each make a generation and a rank of their own",
    async run(context) {
      const stores = await clients(context, 4);
      const group = context.group();
      const members = Array.from({ length: 24 }, (_, index) =>
        context.member(stores[index % stores.length] as CoordinationStore, group, { max: CAPACITY }),
      );
      const views = await Promise.all(members.map((member) => member.join()));
      context.equal(
        new Set(views.map((view) => view.generation)).size,
        24,
        "different generations answered to 24 joins",
        "R5",
      );
      context.equal(
        new Set(views.map((view) => view.members)).size,
        24,
        "different member counts answered to 24 joins",
      );
      const snapshot = await (stores[0] as CoordinationStore).inspect(group);
      context.equal(snapshot.memberCount, 24, "member count after 24 joins");
      context.equal(snapshot.held, CAPACITY, "sum of what is held after 24 joins: what the first one got", "R7");
      await Promise.all(members.map((member) => member.beat()));
      await context.agree(...members);
    },
  },
  {
    name: "raises at the same time share what is free, and give none of it twice",
    async run(context) {
      const stores = await clients(context, 4);
      const group = context.group();
      const holder = context.member(stores[0] as CoordinationStore, group, { max: CAPACITY });
      await holder.join();
      const others = Array.from({ length: 11 }, (_, index) =>
        context.member(stores[index % stores.length] as CoordinationStore, group, { max: CAPACITY }),
      );
      for (const member of others) await member.join();
      await holder.beat();
      for (let kept = CAPACITY; kept > 5_000; ) {
        // Less than one fair share (2,310) is free, and eleven ask for it.
        kept -= 1_500;
        await holder.beat({ held: kept });
        const views: MemberView[] = await Promise.all(others.map((member) => member.beat()));
        const given = views.reduce((sum, view) => sum + view.held, 0);
        context.equal(
          given,
          CAPACITY - kept,
          `sum of what eleven members were answered where ${CAPACITY - kept} were free`,
        );
        context.equal(
          (await (stores[0] as CoordinationStore).inspect(group)).held,
          CAPACITY,
          "sum of what is recorded",
          "R7",
        );
      }
    },
  },
  {
    name: "one member's requests at the same time count once each",
    async run(context) {
      const stores = await clients(context, 3);
      const group = context.group();
      const [a, b] = [
        context.member(stores[0] as CoordinationStore, group),
        context.member(stores[1] as CoordinationStore, group),
      ];
      await a.join();
      const registration = { ...b.registration(), seq: 1 };
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (stores[index % stores.length] as CoordinationStore).register(group, registration),
        ),
      );
      const joined = await (stores[0] as CoordinationStore).inspect(group);
      context.equal(joined.memberCount, 2, "member count after one registration arrived twelve times at once", "R11");
      b.seq = 1;
      await context.agree(a, b);
      const before = await (stores[0] as CoordinationStore).inspect(group);
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (stores[index % stores.length] as CoordinationStore).deregister(group, b.ref, { seq: 9, level: null }),
        ),
      );
      const after = await (stores[0] as CoordinationStore).inspect(group);
      context.equal(after.memberCount, 1, "member count after one farewell arrived twelve times at once", "R12");
      context.that(after.generation > before.generation, "the farewell did not raise the generation", "R5");
    },
  },
]);

async function clients(context: CaseContext, count: number): Promise<CoordinationStore[]> {
  const stores: CoordinationStore[] = [];
  for (let i = 0; i < count; i++) stores.push(await context.client());
  return stores;
}

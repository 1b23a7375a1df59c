import type { LimitChange, MemberView } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseGroup } from "../../case-group.ts";
import type { CaseContext } from "../../context.ts";
import { asLimits, limitClient, to } from "../../limits/limit-stores.ts";
import type { Member, MemberOptions } from "../../member.ts";

const STORED: MemberOptions = { stored: true };

/** R36: groups whose limit lives in the store. */
export const groups: readonly CaseDefinition[] = casesOf({ rule: "R36", needs: ["limits", "ledger"] }, [
  {
    name: "the first member with a stored limit makes it of its max, and the max of later ones changes nothing",
    async run(context) {
      const { group } = await newGroup(context);
      const [a, b] = [group.member({ ...STORED, max: 100 }), group.member({ ...STORED, max: 500 })];
      capacityIs(context, await a.join(), 100, "after the first member joined");
      capacityIs(context, await b.join(), 100, "after one with a larger max joined");
      capacityIs(context, await b.beat({ max: 7 }), 100, "after it reported a smaller max");
      const { stored, members, capacity } = await group.inspect();
      context.equal(JSON.stringify(stored), '{"revision":0,"values":{"max":100}}', "the copy in a snapshot");
      context.equal(members.map(({ max }) => String(max)).join(), "null,null", "max of the members in a snapshot");
      context.equal(capacity, 100, "capacity in a snapshot");
    },
  },
  {
    name: "a limit that is set counts from the next report of each client, down and up, as a new generation",
    async run(context) {
      const { group, set } = await newGroup(context);
      const a = group.member(STORED);
      const b = context.member(await limitClient(context), group.name, STORED);
      await a.join();
      await b.join();
      await context.agree(a, b);
      await set(40);
      const down = await a.beat();
      capacityIs(context, down, 40, "in the answer to the first report after it was lowered");
      context.that(down.status === "disagree", "a report that brings a lower limit is answered agree", "R9");
      const other = await b.beat();
      capacityIs(context, other, 40, "in the answer to another client");
      context.equal(other.generation, down.generation, "generation in the answer to another client", "R5");
      context.equal(other.entitled, 20, "what another member is entitled to", "R19");
      await set(300);
      const up = await b.beat();
      capacityIs(context, up, 300, "after it was raised");
      context.that(up.generation > down.generation, "a higher limit did not raise the generation", "R5");
      context.equal(JSON.stringify((await group.inspect()).stored), '{"revision":2,"values":{"max":300}}', "the copy");
    },
  },
  {
    name: "a limit that was set counts for a newcomer at once, and for the first member of all",
    async run(context) {
      const { group, set } = await newGroup(context);
      await set(7);
      capacityIs(context, await group.member(STORED).join(), 7, "in the answer to the first member");
      await set(250);
      capacityIs(context, await group.member(STORED).join(), 250, "in the answer to a newcomer after it was raised");
    },
  },
  {
    name: "a lower limit takes nothing away, and gives nothing more until enough was handed back",
    async run(context) {
      const { group, set } = await newGroup(context);
      const [a, b] = [group.member(STORED), group.member(STORED)];
      await a.join();
      await b.join();
      await set(60);
      const kept = await a.beat({ held: 100 });
      context.equal(kept.held, 100, "what a member holds that gives nothing up", "R7");
      context.equal((await b.beat({ held: 0 })).held, 0, "what another member is given meanwhile", "R7");
      await a.beat({ held: 30 });
      context.equal((await b.beat({ held: 0 })).held, 30, "what the other one is given afterwards", "R7");
    },
  },
  {
    name: "a higher limit counts from the next epoch",
    async run(context) {
      const { group, set } = await newGroup(context);
      const a = group.member(STORED);
      const { storeTimeMs } = await a.join();
      const epoch = Math.floor(storeTimeMs / 1_000);
      await set(300);
      const view = await a.beat({ held: 100, use: { epoch, used: 100 } });
      context.equal(view.held, 300, "what the only member holds after the limit was raised", "R7");
      context.equal(view.early, 0, "tokens of it that may be used early", "R20");
      context.that(
        view.fromEpoch > epoch,
        `they may be used from epoch ${view.fromEpoch}, and ${epoch} was used`,
        "R20",
      );
    },
  },
  {
    name: "the capacity is the smaller one of the stored limit and of what members without it declare",
    why: "a fleet has both while a new version is rolled out",
    async run(context) {
      const { group, set } = await newGroup(context);
      const [a, plain] = [group.member(STORED), group.member({ max: 80 })];
      await a.join();
      capacityIs(context, await plain.join(), 80, "after a member without it joined");
      await set(200);
      const above = await a.beat();
      capacityIs(context, above, 80, "after the limit was set above that");
      context.equal(above.generation, (await plain.beat()).generation, "generation after it", "R5");
      await set(60);
      capacityIs(context, await plain.beat(), 80, "in the answer to a report without stored: it reads no record");
      capacityIs(context, await a.beat(), 60, "after the limit was set below that, to a report with it");
      capacityIs(context, await plain.beat(), 60, "and then to one without it");
      await set(150);
      await a.beat();
      await plain.leave();
      capacityIs(context, await a.beat(), 150, "after the member without it has left");
    },
  },
  {
    name: "a limit that is removed gives way to the code's value of the next request, each time anew",
    async run(context) {
      const { group, set } = await newGroup(context);
      const a = group.member(STORED);
      await a.join();
      await set(30);
      await a.beat();
      await set(undefined);
      capacityIs(context, await a.beat({ max: 90 }), 90, "after it was removed");
      capacityIs(context, await a.beat({ max: 110 }), 90, "after another value came with a later report");
      await set(undefined);
      capacityIs(context, await a.beat({ max: 110 }), 110, "after it was removed once more");
      context.equal((await group.inspect()).stored?.revision, -3, "state of the copy after that");
    },
  },
  {
    name: "a limit for a while gives way to the code's value when its time is over, on the store's clock and not the group's",
    rule: "R36",
    async run(context) {
      const { group, set } = await newGroup(context);
      const a = group.member(STORED);
      await a.join();
      const { untilMs = 0 } = await set(40, { forMs: context.ms(400) });
      const ahead = await a.beat({ observedMs: untilMs + 60_000 });
      // On a slow machine its time may be over by now.
      const { storeTimeMs } = (await asLimits(context, group.store).readLimit({ kind: "group", name: group.name })) ?? {
        storeTimeMs: 0,
      };
      if (storeTimeMs < untilMs) capacityIs(context, ahead, 40, "while its time is not over, and the group's is");
      const view = await context.until(async () => {
        const answer = await a.beat();
        return answer.capacity === 40 ? undefined : answer;
      }, "the time of a limit is never over for a group");
      capacityIs(context, view, 100, "after its time is over");
      context.equal((await group.inspect()).stored?.revision, -1, "state of the copy after that");
    },
  },
  {
    name: "no repeat, no stranger and no fenced member brings a new limit",
    async run(context) {
      const { group, set } = await newGroup(context);
      const a = group.member({ ...STORED, id: "same" });
      await a.join();
      await a.beat();
      const b = group.member({ ...STORED, id: "same" });
      await b.join();
      await b.beat();
      await set(9);
      context.equal((await a.sync()).status, "fenced", "status of the answer to the member before", "R3");
      const stranger = group.member(STORED);
      context.equal((await stranger.sync()).status, "unknown", "status of the answer to a stranger", "R3");
      await group.store.sync(group.name, b.ref, b.report({ seq: b.seq }));
      await group.store.register(group.name, b.registration({ seq: b.seq, rejoin: true, claim: b.held }));
      context.equal((await group.inspect()).capacity, 100, "capacity after a repeat, a stranger and a fenced member");
      capacityIs(context, await b.beat(), 9, "after the member's next report");
    },
  },
  {
    name: "the copy goes with the last member that has a stored limit: when it leaves, and when it reports without it",
    async run(context) {
      const { group, set } = await newGroup(context);
      const [a, b] = [group.member(STORED), group.member({ max: 300 })];
      await a.join();
      await b.join();
      await set(50);
      await a.beat();
      await a.beat({ stored: false, max: 120 });
      context.equal((await group.inspect()).stored, undefined, "the copy after the last one reported without it");
      capacityIs(context, await b.beat(), 120, "after that");
      capacityIs(context, await a.beat(), 50, "after it reported with it again");
      await a.leave();
      context.equal((await group.inspect()).stored, undefined, "the copy after the last one left");
      capacityIs(context, await b.beat(), 300, "after that");
    },
  },
  {
    name: "the copy goes with a member that went stale",
    async run(context) {
      const { group, set } = await newGroup(context);
      const [a, b] = [group.member({ ...STORED, staleAfterMs: context.ms(500) }), group.member({ max: 300 })];
      await a.join();
      await b.join();
      await set(50);
      await a.beat();
      await context.until(
        async () => ((await b.beat()).capacity === 300 ? true : undefined),
        "the stored limit stays when its last member is removed",
      );
    },
  },
  {
    name: "a repair keeps the copy, and a reset begins anew with what the next member brings",
    async run(context) {
      const { group, set } = await newGroup(context);
      const repairing = context.repairs(group.store);
      const a = group.member(STORED);
      await a.join();
      await set(50);
      await a.beat();
      context.equal(
        (await repairing.repair(group.name)).found.join(),
        "",
        "what a repair finds in a sound group",
        "R18",
      );
      context.equal(JSON.stringify((await group.inspect()).stored), '{"revision":1,"values":{"max":50}}', "the copy");
      await repairing.repair(group.name, { reset: true });
      context.equal((await group.inspect()).stored, undefined, "the copy after a reset");
      capacityIs(context, await a.join({ rejoin: true }), 50, "after a member came back");
    },
  },
  {
    name: "a limit of another group, of another kind, or for a key counts for no group",
    async run(context) {
      const { group } = await newGroup(context);
      const store = asLimits(context, group.store);
      const { name } = group;
      await store.setLimit({ kind: "budget", name }, to(3));
      await store.setLimit({ kind: "group", name: `${name}/` }, to(4));
      await store.setLimit({ kind: "permits", name }, to(undefined, { values: { everyMs: 5 } }));
      await store.setLimit({ kind: "keyed", name }, to(undefined, { values: { max: 6, windowMs: 1_000, burst: 6 } }));
      const a = group.member(STORED);
      capacityIs(context, await a.join(), 100, "with limits of others");
      capacityIs(context, await a.beat(), 100, "with limits of others");
    },
  },
  {
    name: "a semaphore whose limit is lowered is over until enough was handed back",
    needs: ["limits", "ledger", "slots"],
    async run(context) {
      const { group, set } = await newGroup(context);
      const [a, b] = [1, 2].map(() => group.member({ ...STORED, intervalMs: 1, max: 6 })) as [Member, Member];
      const slots = { waiting: 0, head: 0, tookOffer: false };
      const demand = (want: number) => ({ demand: { want, syncMs: 1_000, slots } });
      await a.join({ ...demand(0) });
      await b.join({ ...demand(0) });
      await a.beat({ ...demand(4), held: 0 });
      const used = { use: { epoch: 0, used: 4 } };
      await set(2);
      const over = await a.beat({ ...demand(4), ...used, held: 4 });
      capacityIs(context, over, 2, "of a semaphore after it was lowered");
      context.equal(over.demand?.slots?.over, true, "over while more is held than that", "R32");
      const after = await a.beat({ ...demand(1), use: { epoch: 0, used: 1 }, held: 1 });
      context.equal(after.demand?.slots?.over, false, "over after enough was handed back", "R32");
    },
  },
]);

/** A group, and how its limit is set. */
async function newGroup(context: CaseContext) {
  const group: CaseGroup = await context.newGroup();
  const store = asLimits(context, group.store);
  const set = (max: number | undefined, changes: Partial<LimitChange> = {}) =>
    store.setLimit({ kind: "group", name: group.name }, to(max, changes));
  return { group, set };
}

function capacityIs(context: CaseContext, { capacity }: MemberView, expected: number, when: string): void {
  context.equal(capacity, expected, `capacity ${when}`);
}

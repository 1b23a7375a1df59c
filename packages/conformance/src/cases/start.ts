import { type CaseDefinition, casesOf } from "../case.ts";
import { SHORT_MS } from "../context.ts";
import { atEpoch, intervalOf, scene, sceneOfThree, shows } from "../scene.ts";

/**
 * R20: from when what a member is given may be used. Of every answer in every case it is checked that the members
 * together may use no more of any epoch than the capacity, whatever they used and said of it.
 */
export const start: readonly CaseDefinition[] = casesOf({ rule: "R20", needs: ["ledger"] }, [
  {
    name: "tokens that were given up unused may be used by another member in the epoch that runs",
    why: "the member that needs them would wait for the next epoch, for nothing",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      shows(context, await b.beat(), { entitled: 50, early: 50, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "tokens that were used and then given up may be used again from the next epoch on",
    why: "the callee would see them twice in one epoch",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 100 } });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "what a member used were first the tokens that it keeps",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 60, use: { epoch, used: 60 } });
      shows(context, await b.beat(), { entitled: 40, early: 40, fromEpoch: epoch + 1 });
      await a.beat({ held: 50, use: { epoch, used: 60 } });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "of tokens that were used in part the rest may be used at once",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 70 } });
      shows(context, await b.beat(), { entitled: 50, early: 30, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a member spends no more than it gives up, whatever use it reports",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await b.beat({ held: 0, use: { epoch, used: 90 } });
      await a.beat({ held: 50, use: { epoch, used: 0 } });
      shows(context, await b.beat(), { entitled: 30, early: 30, fromEpoch: epoch + 1 });
      // It is raised to 30 again by the same call.
      await b.beat({ held: 27, use: { epoch, used: 900 } });
      shows(context, await c.beat(), { entitled: 10, early: 7, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "tokens that were not given up in the epoch that runs may be used in it from its beginning",
    why: "what was used in an epoch that is over counts for nothing in this one",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 100 } });
      const view = await b.beat({ observedMs: atEpoch(b, epoch + 1) });
      shows(context, view, { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "with tokens that became free in a newer epoch what was used before counts no more",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 60, use: { epoch, used: 90 } });
      shows(context, await b.beat(), { entitled: 30, early: 0, fromEpoch: epoch + 1 });
      await a.beat({ held: 30, observedMs: atEpoch(a, epoch + 1), use: { epoch: epoch + 1, used: 40 } });
      shows(context, await c.beat(), { entitled: 30, early: 20, fromEpoch: epoch + 2 });
    },
  },
  {
    name: "of tokens that a member gave up in an older epoch than another one nothing counts as used",
    why: "it has not begun the newer epoch, and will not use them in it",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 30, use: { epoch, used: 0 } });
      await b.beat();
      // Each of the two is raised to 30 again by the same call.
      await a.beat({ held: 27, observedMs: atEpoch(a, epoch + 1), use: { epoch: epoch + 1, used: 30 } });
      await b.beat({ held: 20, use: { epoch, used: 30 } });
      shows(context, await c.beat(), { entitled: 30, early: 27, fromEpoch: epoch + 2 });
    },
  },
  {
    name: "tokens that were given up without a report of their use count as used, in the newest epoch that a member may have begun",
    why: "a member may report nothing of its use, and its clock may be ahead by the clock error",
    async run(context) {
      const { a, b, epoch } = await scene(context, { clockErrorMs: 2.5 * intervalOf(context) });
      await a.beat({ held: 50 });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 3 });
    },
  },
  {
    name: "tokens used in an epoch that no member can have begun count as used in the newest that one can",
    why: "one member with a wrong clock would keep all others from starting",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch: epoch + 1_000, used: 100 } });
      shows(context, await b.beat(), { entitled: 50, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a member whose clock is ahead speaks of an epoch that has not begun for others",
    async run(context) {
      const { a, b, epoch } = await scene(context, { clockErrorMs: 1.5 * intervalOf(context) });
      await a.beat({ held: 50, use: { epoch: epoch + 1, used: 80 } });
      shows(context, await b.beat(), { entitled: 50, early: 20, fromEpoch: epoch + 2 });
    },
  },
  {
    name: "a report that gives up nothing changes nothing of what was used",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 20 } });
      await a.beat({ held: 50, use: { epoch, used: 50 } });
      await a.beat({ held: 50 });
      shows(context, await b.beat(), { entitled: 50, early: 50, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a report that arrives twice, or after a newer one, spends nothing more",
    async run(context) {
      const { group, a, b, epoch } = await scene(context);
      await a.beat({ held: 50, use: { epoch, used: 70 } });
      for (const seq of [a.seq, a.seq - 1])
        await group.store.sync(group.name, a.ref, a.report({ seq, held: 10, use: { epoch, used: 70 } }));
      shows(context, await b.beat(), { entitled: 50, early: 30, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "a raise leaves what was used: tokens that come back after it are not unused by that",
    why: "the answer with the raise may be lost, and the tokens be raised again: they would be used twice",
    async run(context) {
      const { a, b, c, epoch } = await sceneOfThree(context);
      await a.beat({ held: 30, use: { epoch, used: 80 } });
      shows(context, await b.beat(), { entitled: 30, early: 10, fromEpoch: epoch + 1 });
      await b.leave(null, { use: { epoch, used: 0 } });
      shows(context, await c.beat(), { entitled: 45, early: 10, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "the tokens of a member that leaves may be used at once, but for those that it used",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.leave(null, { use: { epoch, used: 35 } });
      shows(context, await b.beat(), { entitled: 100, early: 65, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "the tokens of a member that leaves without a report of its use may be used from the next epoch on",
    async run(context) {
      const { a, b, epoch } = await scene(context);
      await a.leave();
      shows(context, await b.beat(), { entitled: 100, early: 0, fromEpoch: epoch + 1 });
    },
  },
  {
    name: "the tokens of a removed member may be used from the next epoch on that no member can have begun",
    why: "its use before the crash is not known, nor the clock of that use",
    async run(context) {
      const clockErrorMs = 2.5 * intervalOf(context);
      const { b, epoch } = await scene(context, { clockErrorMs, staleAfterMs: context.ms(SHORT_MS) });
      const view = await context.until(async () => {
        const now = await b.beat({ held: 0, use: { epoch, used: 0 } });
        return now.members === 1 ? now : undefined;
      }, "a silent member is not removed");
      shows(context, view, { entitled: 100, early: 0, fromEpoch: epoch + 3 });
    },
  },
  {
    name: "those who come after all members left may not use again what was used in that epoch",
    async run(context) {
      const { group, a, b, epoch } = await scene(context);
      await b.leave(null, { use: { epoch, used: 0 } });
      await a.leave(null, { use: { epoch, used: 100 } });
      shows(context, await group.member(a.options).join(), { entitled: 100, early: 0, fromEpoch: epoch + 1 });
    },
  },
]);

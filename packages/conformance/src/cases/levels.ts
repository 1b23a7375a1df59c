import type { MemberView } from "@dt/core";
import type { CaseDefinition } from "../case.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";

/** R13: resuming the ramp. */
export const levels: readonly CaseDefinition[] = [
  {
    name: "the level of a member that left is answered to the next registration of its id",
    rule: "R13",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const resumeWithinMs = context.ms(60_000);
      for (const [id, level] of [
        ["whole", 42],
        ["fraction", 12.625],
        ["none", 0],
      ] as const) {
        const member = context.member(store, group, { id, resumeWithinMs });
        context.equal((await member.join()).resumeLevel, null, "resumeLevel of an id that was never there");
        await member.beat({ level: 7 });
        await member.leave(level);
        const other = context.member(store, group, { id: `${id}2`, resumeWithinMs });
        context.equal((await other.join()).resumeLevel, null, "resumeLevel of another id");
        const next = context.member(store, group, { id, resumeWithinMs });
        context.equal((await next.join()).resumeLevel, level, `resumeLevel after a farewell with level ${level}`);
        context.equal((await next.beat()).resumeLevel, null, "resumeLevel in the answer to a sync");
      }
    },
  },
  {
    name: "a farewell without a level leaves the one reported last",
    rule: "R13",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const resumeWithinMs = context.ms(60_000);
      const member = context.member(store, group, { id: "worker", resumeWithinMs });
      await member.join();
      await member.beat({ level: 33 });
      await member.leave(null);
      const next = context.member(store, group, { id: "worker", resumeWithinMs });
      context.equal(
        (await next.join()).resumeLevel,
        33,
        "resumeLevel after a report of 33 and a farewell without a level",
      );
    },
  },
  {
    name: "the level of a member that crashed is answered too",
    rule: "R13",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const survivor = context.member(store, group);
      await survivor.join();
      const options = { id: "worker", resumeWithinMs: context.ms(60_000), staleAfterMs: context.ms(SHORT_MS) };
      const crashed = context.member(store, group, options);
      await crashed.join();
      await crashed.beat({ level: 55 });
      await context.until(
        async () => ((await survivor.beat()).poolSize === 1 ? true : undefined),
        "a silent member is not removed",
      );
      context.equal(
        (await context.member(store, group, options).join()).resumeLevel,
        55,
        "resumeLevel after a crash at level 55",
      );
    },
  },
  {
    name: "a level is forgotten after resumeWithinMs",
    rule: "R13",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const resumeWithinMs = context.ms(SHORT_MS);
      await context.member(store, group).join();
      const left = context.member(store, group, { id: "worker", resumeWithinMs });
      await left.join();
      await left.leave(42);
      const { storeTimeMs } = await store.inspect(group);
      await context.sleep(resumeWithinMs + context.ms(30));
      const view = await context.member(store, group, { id: "worker", resumeWithinMs }).join();
      context.that(view.storeTimeMs >= storeTimeMs + resumeWithinMs, "store time did not pass", "R2");
      context.equal(
        view.resumeLevel,
        null,
        `resumeLevel ${view.storeTimeMs - storeTimeMs} ms after leaving, with resumeWithinMs ${resumeWithinMs}`,
      );
    },
  },
  {
    name: "no level is remembered for a member with resumeWithinMs 0, or that never had one",
    rule: "R13",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      await context.member(store, group).join();
      context.equal(await resumed(context, group, 0, 42), null, "resumeLevel with resumeWithinMs 0");
      context.equal(
        await resumed(context, group, context.ms(60_000), null),
        null,
        "resumeLevel of a member that never had a level",
      );
    },
  },
];

/** What the next registration is answered after a member left with this level. */
async function resumed(
  context: CaseContext,
  group: string,
  resumeWithinMs: number,
  level: number | null,
): Promise<MemberView["resumeLevel"]> {
  const store = await context.store();
  const id = `resume-${resumeWithinMs}-${level}`;
  const member = context.member(store, group, { id, resumeWithinMs });
  await member.join();
  await member.leave(level);
  return (await context.member(store, group, { id, resumeWithinMs }).join()).resumeLevel;
}

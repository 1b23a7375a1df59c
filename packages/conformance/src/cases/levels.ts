import type { MemberView } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";

/** R13: resuming the ramp. */
export const levels: readonly CaseDefinition[] = casesOf({ rule: "R13", needs: ["ledger"] }, [
  {
    name: "the level of a member that left is answered to the next registration of its id",
    async run(context) {
      const group = await context.newGroup();
      const resumeWithinMs = context.ms(60_000);
      for (const [id, level] of [
        ["whole", 42],
        ["fraction", 12.625],
        ["none", 0],
      ] as const) {
        const member = group.member({ id, resumeWithinMs });
        context.equal((await member.join()).resumeLevel, null, "resumeLevel of an id that was never there");
        await member.beat({ level: 7 });
        await member.leave(level);
        const other = group.member({ id: `${id}2`, resumeWithinMs });
        context.equal((await other.join()).resumeLevel, null, "resumeLevel of another id");
        const next = group.member({ id, resumeWithinMs });
        context.equal((await next.join()).resumeLevel, level, `resumeLevel after a farewell with level ${level}`);
        context.equal((await next.beat()).resumeLevel, null, "resumeLevel in the answer to a sync");
      }
    },
  },
  {
    name: "a farewell without a level leaves the one reported last",
    async run(context) {
      const group = await context.newGroup();
      const resumeWithinMs = context.ms(60_000);
      const member = group.member({ id: "worker", resumeWithinMs });
      await member.join();
      await member.beat({ level: 33 });
      await member.leave(null);
      const next = group.member({ id: "worker", resumeWithinMs });
      context.equal(
        (await next.join()).resumeLevel,
        33,
        "resumeLevel after a report of 33 and a farewell without a level",
      );
    },
  },
  {
    name: "the level of a member that crashed is answered too",
    async run(context) {
      const group = await context.newGroup();
      const survivor = group.member();
      await survivor.join();
      const options = { id: "worker", resumeWithinMs: context.ms(60_000), staleAfterMs: context.ms(SHORT_MS) };
      const crashed = group.member(options);
      await crashed.join();
      await crashed.beat({ level: 55 });
      await context.until(
        async () => ((await survivor.beat()).members === 1 ? true : undefined),
        "a silent member is not removed",
      );
      context.equal((await group.member(options).join()).resumeLevel, 55, "resumeLevel after a crash at level 55");
    },
  },
  {
    name: "a level is forgotten after resumeWithinMs",
    async run(context) {
      const group = await context.newGroup();
      const resumeWithinMs = context.ms(SHORT_MS);
      await group.member().join();
      const left = group.member({ id: "worker", resumeWithinMs });
      await left.join();
      await left.leave(42);
      const { storeTimeMs } = await group.inspect();
      await context.sleep(resumeWithinMs + context.ms(30));
      const view = await group.member({ id: "worker", resumeWithinMs }).join();
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
    async run(context) {
      const group = await context.newGroup();
      await group.member().join();
      context.equal(await resumed(context, group.name, 0, 42), null, "resumeLevel with resumeWithinMs 0");
      context.equal(
        await resumed(context, group.name, context.ms(60_000), null),
        null,
        "resumeLevel of a member that never had a level",
      );
    },
  },
]);

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

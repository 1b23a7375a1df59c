import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseGroup } from "../case-group.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";
import { isMemberView, type Member } from "../member.ts";

/**
 * Times a case starts over when the machine was too slow to show something. Every few times the stale age is doubled.
 */
const ATTEMPTS = 20;
const SAME_AGE = 4;
const TOO_SLOW = "the calls take too long to show it; give the target a larger timeScale";

/** R4: who is removed, and when, on the store's clock. */
export const staleness: readonly CaseDefinition[] = casesOf({ rule: "R4", needs: ["ledger"] }, [
  {
    name: "a silent member is removed at its stale age, on the store's clock, neither earlier nor much later",
    why: "earlier, and its share is given away while it uses it; never, and a crash takes its share out of the group for ever",
    async run(context) {
      const group = await context.newGroup();
      const survivor = group.member();
      await survivor.join();
      await seeRemoval(context, group, survivor);
    },
  },
  {
    name: "a member that is gone does not make the others slower to be removed",
    rule: "R2",
    why: "a quiet stretch counts as a quarter of the smallest stale age at most: one short-lived member with a tiny one would make every crash last for minutes",
    async run(context) {
      const group = await context.newGroup();
      const survivor = group.member();
      await survivor.join();
      for (const leaves of [true, false]) {
        const hasty = group.member({ staleAfterMs: context.ms(SHORT_MS / 50) });
        await hasty.join();
        if (leaves) await hasty.leave();
        await context.until(
          async () => ((await survivor.beat()).members === 1 ? true : undefined),
          "a member with a tiny stale age stays",
        );
      }
      await seeRemoval(context, group, survivor);
    },
  },
  {
    name: "a removed member frees its tokens and is a change of membership",
    async run(context) {
      const group = await context.newGroup();
      const victim = group.member({ staleAfterMs: context.ms(SHORT_MS) });
      await victim.join();
      const survivor = group.member();
      const joined = await survivor.join();
      context.equal(joined.held, 0, "held of the newcomer while the other holds everything", "R7");
      const view = await context.until(async () => {
        const now = await survivor.beat();
        return now.members === 1 ? now : undefined;
      }, "a silent member is not removed");
      context.that(view.generation > joined.generation, "the removal did not raise the generation", "R5");
      context.equal(view.held, 100, "held of the survivor once the other is removed");
      context.equal((await victim.sync()).status, "unknown", "status of the removed member's next sync", "R3");
      const snapshot = await group.inspect();
      context.equal(snapshot.memberCount, 1, "member count after the removed member's sync", "R3");
    },
  },
  {
    name: "a removal alone ends the agreement",
    rule: "R5",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const victim = group.member({ staleAfterMs: context.ms(SHORT_MS) });
      await victim.join();
      let before = (await context.agree(a, b, victim))[0]?.generation as number;
      const view = await context.until(async () => {
        const now = await a.beat();
        if (now.members === 2) return now;
        before = now.generation;
        return undefined;
      }, "a silent member is not removed");
      context.that(view.generation > before, "the removal did not raise the generation");
      context.equal(view.status, "disagree", "status of the first answer after the removal", "R9");
    },
  },
  ...(["sync", "register"] as const).map(
    (call): CaseDefinition => ({
      name: `a ${call} is a heartbeat: a member that calls in time stays for many stale ages`,
      rule: "R4",
      needs: ["ledger"],
      async run(context) {
        const group = await context.newGroup();
        const survivor = group.member();
        await survivor.join();
        await untilShown(context, group, (member) => keepAlive(context, member, survivor, call));
      },
    }),
  ),
  {
    name: "every member has its own stale age",
    async run(context) {
      const group = await context.newGroup();
      const staleMs = context.ms(SHORT_MS);
      const survivor = group.member();
      await survivor.join();
      const patient = group.member({ id: "patient", staleAfterMs: 3 * staleMs });
      const heartbeatMs = (await patient.join()).storeTimeMs;
      const hasty = group.member({ id: "hasty", staleAfterMs: staleMs });
      await hasty.join();
      await context.until(
        async () => ((await survivor.beat()).members === 2 ? true : undefined),
        "the member with the short stale age stays",
      );
      const left = (await group.inspect()).members.map((member) => member.id);
      context.that(
        left.includes("patient") && !left.includes("hasty"),
        `the members left are ${left.join(", ")}; "hasty" had to go`,
      );
      const gone = await context.until(async () => {
        const view = await survivor.beat();
        return view.members === 1 ? view : undefined;
      }, "the member with the long stale age stays for ever");
      const silentMs = gone.storeTimeMs - heartbeatMs;
      context.that(
        silentMs >= 3 * staleMs - 2,
        `a member with a stale age of ${3 * staleMs} ms was removed after ${silentMs} ms`,
      );
    },
  },
  {
    name: "a member that calls is not removed by its own call, however late",
    async run(context) {
      const group = await context.newGroup();
      const witness = group.member();
      await witness.join();
      await untilShown(context, group, async (late) => {
        const staleMs = late.options.staleAfterMs;
        const { storeTimeMs: heartbeatMs } = await late.join();
        const removableMs = heartbeatMs + staleMs;
        let lastMs = heartbeatMs;
        // The witness keeps the group's time going, without getting to the point where it would remove the other.
        while (lastMs < removableMs - staleMs * 0.1) {
          await context.sleep(staleMs / 30);
          lastMs = (await witness.beat()).storeTimeMs;
        }
        await context.sleep(Math.max(0, removableMs + staleMs * 0.05 - lastMs));
        const view = await late.sync();
        const quiet = view.storeTimeMs - lastMs >= staleMs / 4;
        if (lastMs >= removableMs || view.storeTimeMs <= removableMs || quiet) return undefined;
        context.that(view.status !== "unknown", "the member's own call, after its stale age, removed it");
        return true;
      });
    },
  },
]);

/** Sees a silent member removed, at the right time. */
function seeRemoval(context: CaseContext, group: CaseGroup, survivor: Member): Promise<void> {
  return untilShown(context, group, async (victim) => {
    const { storeTimeMs } = await victim.join();
    return watchRemoval(context, survivor, storeTimeMs, victim.options.staleAfterMs);
  });
}

/** Tries it with new members until one shows it, with longer stale ages where the machine is slow. */
async function untilShown(
  context: CaseContext,
  group: CaseGroup,
  show: (member: Member) => Promise<true | undefined>,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const staleAfterMs = context.ms(SHORT_MS) * 2 ** Math.floor(attempt / SAME_AGE);
    if (context.leftMs < 4 * staleAfterMs) break;
    const member = group.member({ staleAfterMs });
    if (await show(member)) return;
    await member.leave();
  }
  context.fail(TOO_SLOW);
}

/**
 * True when the removal was seen at the right time; undefined when a gap between two calls was so long that it may not
 * count as silence, or that nobody can tell.
 *
 * A store with a hybrid clock cannot ask when a heartbeat came: whoever calls next sees that it came, and can be sure
 * of the silence from then on. So on such a store the latest time for the removal counts from the first answer after
 * the heartbeat, the earliest from the heartbeat. Nor does such a store know of a silence before somebody looks: where
 * looks lie further apart than the removal may be late, nobody can tell that it is late. One that is early is early.
 */
async function watchRemoval(
  context: CaseContext,
  survivor: Member,
  heartbeatMs: number,
  staleMs: number,
): Promise<true | undefined> {
  const isHybrid = context.target.capabilities.clock === "hybrid";
  const graceMs = staleMs / 10;
  let seenMs: number | undefined = isHybrid ? undefined : heartbeatMs;
  let askedMs = context.now();
  let farApart = false;
  for (let lastMs = heartbeatMs; ; ) {
    await context.sleep(staleMs / 40);
    const askedBeforeMs = askedMs;
    askedMs = context.now();
    const view = await survivor.beat();
    if (view.storeTimeMs - lastMs >= staleMs / 4) return undefined;
    farApart ||= context.now() - askedBeforeMs > graceMs;
    lastMs = view.storeTimeMs;
    seenMs ??= lastMs;
    const silentMs = view.storeTimeMs - heartbeatMs;
    if (view.members === 1) {
      context.that(
        silentMs >= staleMs - 2,
        `a member with a stale age of ${staleMs} ms was removed ${silentMs} ms after its last heartbeat`,
      );
      return true;
    }
    const isLate = lastMs - seenMs > staleMs + graceMs;
    if (isLate && isHybrid && farApart) return undefined;
    context.that(
      !isLate,
      `a member with a stale age of ${staleMs} ms is still there ${silentMs} ms after its last heartbeat, although the group was called all the time`,
    );
  }
}

/** True when the member stayed for three stale ages; undefined when a heartbeat came too late. */
async function keepAlive(
  context: CaseContext,
  member: Member,
  survivor: Member,
  call: "sync" | "register",
): Promise<true | undefined> {
  const staleMs = member.options.staleAfterMs;
  const joined = await member.join();
  for (let lastMs = joined.storeTimeMs; lastMs < joined.storeTimeMs + 3 * staleMs; ) {
    await context.sleep(staleMs / 8);
    const seen = await survivor.beat();
    const view = await member[call]();
    const silentMs = view.storeTimeMs - lastMs;
    if (silentMs >= staleMs) return undefined;
    const what = `a member with a stale age of ${staleMs} ms was removed ${silentMs} ms after its last heartbeat`;
    context.that(isMemberView(view) && seen.members === 2, what);
    // A registration would bring back a member that was removed, as a change of membership.
    context.equal(
      isMemberView(view) && view.generation,
      joined.generation,
      `generation while both call in time: ${what}`,
    );
    lastMs = view.storeTimeMs;
  }
  return true;
}

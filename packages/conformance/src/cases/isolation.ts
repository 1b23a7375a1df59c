import { type CaseDefinition, casesOf } from "../case.ts";
import { HOSTILE, NEAR_MISSES } from "../hostile-names.ts";
import type { Member } from "../member.ts";

/** R15: groups and members are told apart by their whole names. */
export const isolation: readonly CaseDefinition[] = casesOf({ rule: "R15", needs: ["ledger"] }, [
  {
    name: "groups with hostile names are groups like any other, and see no other group",
    async run(context) {
      const unique = context.group();
      await apart(
        context,
        HOSTILE.map((text) => `${text}${unique}${text}`),
      );
    },
  },
  {
    name: "groups whose names differ only in case, space, accents, or by one being the beginning of the other are different groups",
    async run(context) {
      const unique = context.group();
      await apart(context, [
        ...NEAR_MISSES.map((text) => `${text}-${unique}-${text}`),
        ...[
          unique,
          `${unique}:`,
          `${unique}:1`,
          `${unique}:members`,
          `${unique}:m:a`,
          `${unique}/`,
          `{${unique}}`,
          `{${unique}}:members`,
          `${unique}%`,
          `${unique}_`,
        ],
      ]);
    },
  },
  {
    name: "groups with names of 1,024 bytes that differ in the last one are different groups",
    async run(context) {
      const unique = context.group();
      const ascii = unique.padEnd(1_023, "x");
      // Three bytes for each of these characters.
      const wide =
        unique + "日".repeat(Math.floor((1_023 - unique.length) / 3)) + "x".repeat((1_023 - unique.length) % 3);
      await apart(context, [`${ascii}a`, `${ascii}b`, ascii, `${wide}a`, `${wide}b`]);
    },
  },
  {
    name: "members with hostile ids are members like any other",
    async run(context) {
      const group = await context.newGroup();
      const ids = [...new Set([...HOSTILE, ...NEAR_MISSES, `${"x".repeat(1_023)}a`, `${"x".repeat(1_023)}b`])];
      const members = ids.map((id, index) =>
        group.member({
          id,
          incarnation: `${index}${id.slice(0, 200)}`,
          resumeWithinMs: context.ms(60_000),
        }),
      );
      for (const member of members) await member.join();
      for (const member of members) await member.beat();
      const snapshot = await group.inspect();
      context.equal(snapshot.memberCount, ids.length, "members in the group");
      context.that(
        snapshot.members.every((member) => !member.fenced),
        "an id was taken for another one: a member is fenced",
      );
      const answered = new Set(snapshot.members.map((member) => member.id));
      for (const id of ids)
        context.that(answered.has(id), `inspect does not know the id ${JSON.stringify(id.slice(0, 40))}`);
      for (const [index, member] of members.entries()) await member.leave(index + 1);
      for (const [index, id] of ids.entries()) {
        const next = group.member({ id, incarnation: `${index}${id.slice(0, 200)}-again` });
        context.equal((await next.join()).resumeLevel, index + 1, `resumeLevel of ${JSON.stringify(id.slice(0, 40))}`);
      }
    },
  },
  {
    name: "one process in two groups is a member of each, and leaves one without leaving the other",
    async run(context) {
      const store = await context.store();
      const ref = { id: "worker", incarnation: "boot" };
      const [first, second] = [context.group(), context.group()];
      const [one, two] = [
        context.member(store, first, ref),
        context.member(store, second, { ...ref, max: 30, intervalMs: 250 }),
      ];
      context.equal((await one.join()).capacity, 100, "capacity of the first group");
      context.equal((await two.join()).capacity, 30, "capacity of the second group");
      await one.leave();
      context.equal((await one.sync()).status, "unknown", "status in the group that it left");
      context.equal((await two.beat()).held, 30, "held in the other group");
    },
  },
]);

/** Lets one member join each group, all at the same time; each must find itself alone, now and later. */
async function apart(context: Parameters<CaseDefinition["run"]>[0], groups: readonly string[]): Promise<void> {
  const store = await context.store();
  const names = [...new Set(groups)];
  const members = names.map((group, index) =>
    context.member(store, group, { id: "same", incarnation: "same-boot", max: 1_000 + index }),
  );
  const alone = async (member: Member, index: number, call: "join" | "beat"): Promise<void> => {
    const view = await member[call]();
    const group = JSON.stringify(member.group.slice(0, 80));
    context.equal(view.members, 1, `member count in group ${group}`);
    context.equal(view.capacity, 1_000 + index, `capacity of group ${group}`);
    context.equal(view.held, 1_000 + index, `held in group ${group}`);
  };
  // In portions, since a store with one connection answers one after the other.
  for (let from = 0; from < members.length; from += 16) {
    await Promise.all(members.slice(from, from + 16).map((member, index) => alone(member, from + index, "join")));
  }
  for (const [index, member] of members.entries()) {
    await alone(member, index, "beat");
    const snapshot = await store.inspect(member.group);
    context.equal(
      snapshot.capacity,
      1_000 + index,
      `capacity in inspect of group ${JSON.stringify(member.group.slice(0, 80))}`,
    );
  }
  for (const [index, member] of members.entries()) {
    if (index % 2 === 0) await member.leave();
  }
  for (const [index, member] of members.entries()) {
    if (index % 2 === 1) await alone(member, index, "beat");
    else
      context.equal(
        (await member.sync()).status,
        "unknown",
        `status in group ${JSON.stringify(member.group.slice(0, 80))} after leaving it`,
      );
  }
}

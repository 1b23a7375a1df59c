import type { LimitChange, LimitRecord, LimitTarget } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { HOSTILE } from "../../hostile-names.ts";
import { asLimits, limitClient, limitStore, to } from "../../limits/limit-stores.ts";

/** L1 to L7: the records of stored limits. */
export const records: readonly CaseDefinition[] = casesOf({ rule: "L2", needs: ["limits"] }, [
  {
    name: "changes of one record at one time, by several clients: each counts, and none is lost",
    rule: "L1",
    async run(context) {
      const target = newTarget(context);
      const clients = [await limitStore(context)];
      while (clients.length < 4) clients.push(await limitClient(context));
      const changes = Array.from({ length: 12 }, (_, place) => place + 1);
      const answers = await Promise.all(
        changes.map((max, place) => (clients[place % 4] as (typeof clients)[0]).setLimit(target, to(max))),
      );
      const revisions = answers.map(({ revision }) => revision).sort((a, b) => a - b);
      context.equal(revisions.join(), changes.join(), "revisions of 12 changes at one time");
      const { revision, history } = await recordOf(context, target);
      context.equal(revision, 12, "revision after 12 changes");
      const made = history.map((change) => change.to?.["max"] ?? 0).sort((a, b) => a - b);
      context.equal(made.join(), changes.join(), "changes in the history");
    },
  },
  {
    name: "a limit that was never set has no record, and a look makes none",
    async run(context) {
      const store = await limitStore(context);
      const target = newTarget(context);
      for (let look = 0; look < 2; look++)
        context.equal(await store.readLimit(target), undefined, "the record of a limit that was never set");
      context.equal((await store.setLimit(target, to(5))).revision, 1, "revision of the first change");
    },
  },
  {
    name: "a record has the values of the last change, and of each change when, by whom, from what to what, why and until when",
    async run(context) {
      const store = await limitStore(context);
      const target = newTarget(context);
      const first = await store.setLimit(target, to(50, { from: { max: 80 }, by: "ann", why: "load" }));
      const last = await store.setLimit(target, to(40, { by: "日本", forMs: 600_000 }));
      const read = await (await limitClient(context)).readLimit(target);
      if (!read) return context.fail("a limit that was set has no record");
      for (const [record, what] of [
        [last, "the answer to the last change"],
        [read, "the record as another client reads it"],
      ] as const) {
        context.equal(record.revision, 2, `revision in ${what}`);
        context.equal(JSON.stringify(record.values), '{"max":40}', `values in ${what}`);
        context.equal(record.inForce, true, `inForce in ${what}`);
        const [newer, older] = record.history;
        context.equal(record.history.length, 2, `changes in ${what}`);
        context.equal(JSON.stringify([newer?.by, newer?.from, newer?.to]), '["日本",{"max":50},{"max":40}]', what);
        context.equal(
          JSON.stringify([older?.by, older?.from, older?.to, older?.why]),
          '["ann",{"max":80},{"max":50},"load"]',
          what,
        );
        context.equal(newer?.untilMs, record.untilMs, `until when in ${what}`);
        near(context, older?.atMs, first.storeTimeMs, `when the first change was made, in ${what}`);
        near(context, record.untilMs, last.storeTimeMs + 600_000, `until when, in ${what}`);
      }
    },
  },
  {
    name: "what was learned keeps the numbers that a change does not name, and changes of one hour are one entry",
    async run(context) {
      const store = await limitStore(context);
      const { name } = newTarget(context);
      const target: LimitTarget = { kind: "learned", name };
      for (const values of [{ rate: 5 }, { limit: 7.5 }, { rate: 6 }]) await store.setLimit(target, to(0, { values }));
      const { values, revision, history } = await recordOf(context, target);
      context.equal(revision, 3, "revision after 3 changes");
      context.equal(JSON.stringify(values), '{"rate":6,"limit":7.5}', "values of what was learned");
      context.equal(JSON.stringify(history.map((change) => change.to)), `[${JSON.stringify(values)}]`, "the history");
    },
  },
  {
    name: "a record shows the last 20 changes, the newest first",
    async run(context) {
      const store = await limitStore(context);
      const target = newTarget(context);
      for (let max = 1; max <= 23; max++) await store.setLimit(target, to(max));
      const { history, revision } = await recordOf(context, target);
      context.equal(revision, 23, "revision after 23 changes");
      const expected = Array.from({ length: 20 }, (_, place) => 23 - place);
      context.equal(history.map((change) => change.to?.["max"]).join(), expected.join(), "changes in the history");
    },
  },
  {
    name: "a limit that is removed leaves its record, without values and with its history",
    why: "a removal counts anew each time: so an operator makes a new value in the code count",
    async run(context) {
      const store = await limitStore(context);
      const target = newTarget(context);
      await store.setLimit(target, to(50));
      for (const revision of [2, 3]) {
        await store.setLimit(target, to(undefined));
        const record = await recordOf(context, target);
        context.equal(record.revision, revision, "revision after a removal");
        context.equal(record.values, undefined, "values after a removal");
        context.equal(record.inForce, false, "inForce after a removal");
        context.equal(record.history.length, revision, "changes after a removal");
      }
    },
  },
  {
    name: "a limit for a while counts until its time is over on the store's clock, and not then",
    rule: "L3",
    async run(context) {
      const store = await limitStore(context);
      const target = newTarget(context);
      const forMs = context.ms(200);
      const set = await store.setLimit(target, to(50, { forMs }));
      const untilMs = set.untilMs ?? 0;
      near(context, untilMs, set.storeTimeMs + forMs, "until when");
      for (let look = 0; ; look++) {
        const { inForce, storeTimeMs, values } = await recordOf(context, target);
        context.equal(inForce, storeTimeMs < untilMs, `inForce ${untilMs - storeTimeMs} ms before its time is over`);
        context.equal(JSON.stringify(values), '{"max":50}', "values of a limit for a while");
        if (!inForce) break;
        if (look === 100) return context.fail("the time of a limit is never over");
        await context.sleep(context.ms(20));
      }
      context.equal(
        (await store.setLimit(target, to(60))).untilMs,
        undefined,
        "until when, of a later change for good",
      );
    },
  },
  {
    name: "records of other kinds, names and keys are others, however alike they are",
    rule: "L7",
    async run(context) {
      const store = await limitStore(context);
      const name = context.group();
      const values = { max: 5, windowMs: 1_000, burst: 5 };
      const targets: readonly (readonly [LimitTarget, LimitChange])[] = [
        [{ kind: "group", name }, to(1)],
        [{ kind: "permits", name }, to(undefined, { values: { everyMs: 2 } })],
        [{ kind: "budget", name }, to(3)],
        ...["", "a", "a/b", ...HOSTILE].map(
          (key, place) =>
            [
              { kind: "keyed", name, ...(key !== "" && { key }) },
              to(undefined, { values: { ...values, max: 10 + place } }),
            ] as const,
        ),
        [{ kind: "keyed", name: `${name}a` }, to(undefined, { values })],
        ...HOSTILE.map((text, place) => [{ kind: "group", name: `${name}${text}` }, to(100 + place)] as const),
      ];
      await Promise.all(targets.map(([target, change]) => store.setLimit(target, change)));
      const records = await Promise.all(targets.map(([target]) => recordOf(context, target)));
      for (const [place, [target, change]] of targets.entries()) {
        const { revision, values: kept } = records[place] as LimitRecord;
        context.equal(JSON.stringify(kept), JSON.stringify(change.values), `values of ${JSON.stringify(target)}`);
        context.equal(revision, 1, `revision of ${JSON.stringify(target)}`);
      }
    },
  },
  {
    name: "a record outlives its group: a reset, and the last member",
    rule: "L7",
    needs: ["limits", "ledger"],
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const target: LimitTarget = { kind: "group", name: group.name };
      const before = await asLimits(context, group.store).setLimit(target, to(50));
      await a.beat({ stored: true });
      if (context.canRepair(group.store)) await group.store.repair(group.name, { reset: true });
      for (const member of [a, b]) await member.leave();
      const after = await recordOf(context, target);
      context.equal(JSON.stringify([after.revision, after.values]), JSON.stringify([1, before.values]), "the record");
    },
  },
  {
    name: "a call that is given up, or comes after the end, changes no record",
    rule: "L7",
    async run(context) {
      const target = newTarget(context);
      const given = AbortSignal.abort(new Error("given up"));
      const store = await limitStore(context);
      await context.refused(store.setLimit(target, to(5), given), ["DT_ABORTED"], "a change that was given up");
      await context.refused(store.readLimit(target, given), ["DT_ABORTED"], "a look that was given up");
      const closed = asLimits(context, await context.openStore());
      await closed.close();
      await context.refused(closed.setLimit(target, to(5)), ["DT_STORE_CLOSED"], "a change after the end");
      await context.refused(closed.readLimit(target), ["DT_STORE_CLOSED"], "a look after the end");
      context.equal(await store.readLimit(target), undefined, "the record after that");
    },
  },
  {
    name: "a malformed change is refused, and changes nothing",
    async run(context) {
      const store = await limitStore(context);
      const target = newTarget(context);
      await store.setLimit(target, to(5));
      const wrong: readonly (readonly [unknown, unknown])[] = [
        ...[0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e12 + 1, "5", null].map(
          (max) => [target, { values: { max }, by: "x" }] as const,
        ),
        ...[{}, [], { min: 1 }, { max: 1, other: 1 }, null].map((values) => [target, { values, by: "x" }] as const),
        ...["", undefined, 5, "x".repeat(257), "\ud800"].map((by) => [target, { values: { max: 1 }, by }] as const),
        ...[0, -1, Number.NaN, 1e13, "1s"].map((forMs) => [target, to(1, { forMs: forMs as number })] as const),
        [target, to(undefined, { forMs: 1_000 })],
        [target, to(1, { why: "x".repeat(1_001) })],
        [{ kind: "throttle", name: target.name }, to(1)],
        [{ kind: "group", name: "" }, to(1)],
        [{ ...target, key: "a" }, to(1)],
        [{ kind: "permits", name: target.name }, to(1)],
        [
          { kind: "budget", name: target.name },
          { values: {}, by: "x" },
        ],
        [{ kind: "keyed", name: target.name }, to(1)],
      ];
      for (const [of, change] of wrong)
        await context.refused(
          store.setLimit(of as LimitTarget, change as LimitChange),
          ["DT_INVALID_OPTION"],
          `a change of ${JSON.stringify(of)} to ${JSON.stringify(change)}`,
        );
      context.equal((await recordOf(context, target)).revision, 1, "revision after changes that were refused");
    },
  },
  {
    name: "a damaged record is refused with its remedy, by a look and by a report, and replaced when it is set anew",
    rule: "L6",
    needs: ["limits", "ledger", "spoilLimit"],
    async run(context) {
      const { group, a } = await context.joinedPair();
      const store = asLimits(context, group.store);
      const target: LimitTarget = { kind: "group", name: group.name };
      await store.setLimit(target, to(50));
      await a.beat({ stored: true });
      const before = await group.inspect();
      await context.target.damage?.spoilLimit?.(target);
      const refused = [
        await context.refused(store.readLimit(target), ["DT_STORE_DATA"], "a look at a damaged record"),
        await context.refused(a.sync({ stored: true }), ["DT_STORE_DATA"], "a report with a damaged record"),
      ];
      for (const { message } of refused)
        context.that(/dt limit set/.test(message), `the refusal of a damaged record has no remedy: ${message}`);
      const { capacity, generation } = await group.inspect();
      context.equal(
        JSON.stringify([capacity, generation]),
        JSON.stringify([before.capacity, before.generation]),
        "group",
      );
      const { revision } = await store.setLimit(target, to(40));
      context.that(revision > 1, `a damaged record is replaced by one of revision ${revision}, which a copy may have`);
      context.equal((await a.beat({ stored: true })).capacity, 40, "capacity after the limit was set anew");
    },
  },
]);

function newTarget(context: CaseContext): LimitTarget {
  return { kind: "group", name: context.group() };
}

async function recordOf(context: CaseContext, target: LimitTarget) {
  const record = await (await limitClient(context)).readLimit(target);
  return record ?? context.fail(`the limit of ${JSON.stringify(target)} was set, and has no record`);
}

/** Within a second of the clock that is the store's, and of what two clients of a hybrid one may differ by. */
function near(context: CaseContext, actual: number | undefined, expected: number, what: string): void {
  const most = 1_000 + context.clockErrorMs;
  context.that(
    actual !== undefined && Math.abs(actual - expected) <= most,
    `${what}: ${actual}, and it is ${expected}`,
  );
}

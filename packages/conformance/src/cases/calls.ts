import type { CoordinationStore } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseContext } from "../context.ts";
import { settledAs } from "./settled-as.ts";

/** R16: cancellation and closing. */
export const calls: readonly CaseDefinition[] = casesOf({ rule: "R16" }, [
  {
    name: "the store's capabilities are those that the target declares",
    async run(context) {
      const store = await context.store();
      const declared = context.target.capabilities;
      for (const key of ["name", "clock", "ledger", "losesData", "hints"] as const) {
        context.equal(store.capabilities[key], declared[key], `capabilities.${key}`);
      }
      for (const key of ["demand", "slots"] as const) {
        context.equal(store.capabilities[key] ?? false, declared[key] ?? false, `capabilities.${key}`);
      }
    },
  },
  {
    name: "every call is refused at once with a signal that is aborted already",
    async run(context) {
      const store = await context.store();
      for (const [what, call] of everyCall(context, store, AbortSignal.abort())) {
        await context.refused(call(), ["DT_ABORTED"], `${what} with an aborted signal`);
      }
    },
  },
  {
    name: "a call whose signal is aborted already does nothing",
    needs: ["ledger"],
    async run(context) {
      const group = await context.newGroup();
      const member = group.member();
      const signal = AbortSignal.abort(new Error("given up"));
      const error = await context.refused(
        member.register({}, signal),
        ["DT_ABORTED"],
        "register with an aborted signal",
      );
      context.equal(error.effect, "definite", "effect of a call that was never sent");
      context.equal((await group.inspect()).memberCount, 0, "member count after a registration with an aborted signal");
      await member.join();
      await context.refused(member.sync({ held: 1 }, signal), ["DT_ABORTED"], "sync with an aborted signal");
      const farewell = group.store.deregister(group.name, member.ref, { seq: member.seq + 1, level: null }, signal);
      await context.refused(farewell, ["DT_ABORTED"], "deregister with an aborted signal");
      await context.refused(group.store.inspect(group.name, signal), ["DT_ABORTED"], "inspect with an aborted signal");
      context.equal((await group.inspect()).memberCount, 1, "member count after a farewell with an aborted signal");
      context.equal((await member.beat()).held, 100, "held after all that");
    },
  },
  {
    name: "a call whose signal aborts while it runs settles, and the store goes on working",
    needs: ["ledger"],
    async run(context) {
      const group = await context.newGroup();
      const members = Array.from({ length: 12 }, () => group.member());
      const joins = members.map(async (member, index) => {
        const controller = new AbortController();
        const join = member.register({}, controller.signal);
        // Some at once, some while the request is on its way, some after the answer.
        if (index % 3 === 0) controller.abort();
        else void context.sleep(index % 3).then(() => controller.abort());
        const outcome = await context.within("a call with an aborted signal", context.ms(1_000), settledAs(join));
        return outcome;
      });
      const outcomes = await Promise.all(joins);
      for (const outcome of outcomes)
        context.that(
          outcome === "done" || outcome === "DT_ABORTED",
          `a call with an aborted signal ended with ${outcome}`,
        );
      const joined = await group.inspect();
      const done = outcomes.filter((outcome) => outcome === "done").length;
      context.that(
        joined.memberCount >= done,
        `${done} registrations were answered, and ${joined.memberCount} members are there`,
        "R1",
      );
      for (const member of members) await member.join();
      await context.agree(...members);
    },
  },
  {
    name: "after close every call is refused as closed, and close can be called again",
    async run(context) {
      const store = await context.openStore();
      const group = context.group();
      const member = context.member(store, group);
      await member.join();
      await store.close();
      await store.close();
      await context.refused(member.register(), ["DT_STORE_CLOSED"], "register on a closed store");
      await context.refused(member.sync(), ["DT_STORE_CLOSED"], "sync on a closed store");
      await context.refused(member.leave(), ["DT_STORE_CLOSED"], "deregister on a closed store");
      await context.refused(store.inspect(group), ["DT_STORE_CLOSED"], "inspect on a closed store");
    },
  },
  {
    name: "a store that is closed before its first call refuses every call",
    async run(context) {
      const store = await context.openStore(undefined, { untouched: true });
      await store.close();
      for (const [what, call] of everyCall(context, store)) {
        await context.refused(call(), ["DT_STORE_CLOSED"], `${what} on a store closed before its first call`);
      }
    },
  },
  {
    name: "closing one store leaves another one at work",
    needs: ["ledger", "separateStores"],
    async run(context) {
      const [closing, staying] = [await context.openStore(), await context.openStore()];
      const group = context.group();
      const member = context.member(staying, group);
      await context.member(closing, group).join();
      await member.join();
      await closing.close();
      context.equal(
        (await member.beat()).members,
        2,
        "member count after the other member's store was closed: closing is no farewell",
      );
    },
  },
  {
    name: "calls in flight settle when the store is closed",
    why: "a caller that waits for ever keeps its process from stopping",
    needs: ["ledger"],
    async run(context) {
      const store = await context.openStore();
      const group = context.group();
      await context.member(store, group).join();
      const calls = Array.from({ length: 20 }, () => settledAs(context.member(store, group).register()));
      calls.push(...Array.from({ length: 5 }, () => settledAs(store.inspect(group))));
      await store.close();
      for (const outcome of await Promise.all(calls)) {
        context.that(
          outcome === "done" || outcome === "DT_STORE_CLOSED",
          `a call in flight while the store was closed ended with ${outcome}`,
        );
      }
    },
  },
  {
    name: "failures come as rejections, never as exceptions",
    async run(context) {
      const store = await closedStore(context);
      const malformed = [() => store.inspect(""), () => store.inspect(undefined as unknown as string)];
      for (const call of [...everyCall(context, store).map(([, closed]) => closed), ...malformed]) {
        const answer = attempt(context, call);
        context.that(typeof answer.then === "function", "a call answered something that is not a promise");
        await context.settled("a call on a closed store", answer);
      }
    },
  },
]);

function attempt(context: CaseContext, call: () => Promise<unknown>): Promise<unknown> {
  try {
    return call();
  } catch (error) {
    return context.fail(`a call threw ${String(error)} instead of rejecting`);
  }
}

/** Each of the four calls, well-formed, with its name. */
function everyCall(
  context: CaseContext,
  store: CoordinationStore,
  signal?: AbortSignal,
): readonly (readonly [string, () => Promise<unknown>])[] {
  const group = context.group();
  const member = context.member(store, group);
  return [
    ["register", () => store.register(group, member.registration({ seq: 1 }), signal)],
    ["sync", () => store.sync(group, member.ref, member.report({ seq: 1 }), signal)],
    ["deregister", () => store.deregister(group, member.ref, { seq: 1, level: null }, signal)],
    ["inspect", () => store.inspect(group, signal)],
  ];
}

/** A closed store that is not wrapped: the wrapper turns exceptions into rejections. */
async function closedStore(context: CaseContext): Promise<CoordinationStore> {
  const store = await context.bareStore();
  await store.close();
  return store;
}

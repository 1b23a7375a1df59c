import type { CoordinationStore } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseContext } from "../context.ts";

type Listen = NonNullable<CoordinationStore["onHint"]>;

/**
 * The hints of a store. Not a safety matter: hints may be lost or repeated, so each case gives several
 * occasions.
 */
export const hints: readonly CaseDefinition[] = casesOf({ rule: "R16" }, [
  {
    name: "onHint is there exactly when capabilities.hints is true",
    async run(context) {
      const store = await context.bareStore();
      context.equal(
        typeof store.onHint === "function",
        context.target.capabilities.hints,
        "whether the store has onHint()",
      );
    },
  },
  {
    name: "a listener is called soon after the membership changed, also when another client changed it",
    needs: ["ledger", "hints"],
    async run(context) {
      const group = await context.newGroup();
      const a = group.member();
      await a.join();
      const hints = new Hints();
      const stop = await listen(group.store, group.name, hints);
      const other = await context.client();
      await told(context, hints, "a member joined or left", async () => {
        const member = context.member(other, group.name);
        await member.join();
        await member.leave();
      });
      stop();
    },
  },
  {
    name: "a listener is called soon after agreement was reached",
    why: "a member that waits for its exact share need not wait for its next heartbeat",
    needs: ["ledger", "hints"],
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const hints = new Hints();
      const stop = await listen(group.store, group.name, hints);
      await told(context, hints, "agreement was reached", async () => {
        // A new generation, heard by everybody; the hints of that do not count.
        const passing = group.member();
        await passing.join();
        await passing.leave();
        await a.beat();
        await b.beat();
        await context.sleep(context.ms(100));
        hints.clear();
        await context.agree(a, b);
      });
      stop();
    },
  },
  {
    name: "a listener that stopped is not called any more, and stopping twice is harmless",
    needs: ["ledger", "hints"],
    async run(context) {
      const group = await context.newGroup();
      await group.member().join();
      const [stopped, listening] = [new Hints(), new Hints()];
      const stop = await listen(group.store, group.name, stopped);
      const stopOther = await listen(group.store, group.name, listening);
      await told(context, listening, "a member joined", () => group.member().join());
      stop();
      stop();
      stopped.clear();
      listening.clear();
      await told(context, listening, "a member joined after another listener stopped", () => group.member().join());
      context.equal(stopped.count, 0, "hints to a listener that stopped");
      stopOther();
    },
  },
  {
    name: "onHint is refused with an aborted signal, with a malformed group and on a closed store",
    needs: ["hints"],
    async run(context) {
      const store = await context.openStore();
      const listening = store as CoordinationStore & { onHint: Listen };
      const group = context.group();
      await context.refused(
        listening.onHint(group, () => {}, AbortSignal.abort()),
        ["DT_ABORTED"],
        "onHint with an aborted signal",
      );
      await context.refused(
        listening.onHint("", () => {}),
        ["DT_INVALID_OPTION"],
        "onHint of an empty group name",
        "R15",
      );
      await store.close();
      await context.refused(
        listening.onHint(group, () => {}),
        ["DT_STORE_CLOSED"],
        "onHint on a closed store",
      );
    },
  },
]);

class Hints {
  count = 0;
  clear(): void {
    this.count = 0;
  }
}

function listen(store: CoordinationStore, group: string, hints: Hints): Promise<() => void> {
  return (store as CoordinationStore & { onHint: Listen }).onHint(group, () => {
    hints.count += 1;
  });
}

/** Gives occasion after occasion until a hint comes. */
async function told(
  context: CaseContext,
  hints: Hints,
  occasion: string,
  change: () => Promise<unknown>,
): Promise<void> {
  await context.until(async () => {
    await change();
    for (let wait = 0; wait < 20 && hints.count === 0; wait++) await context.sleep(context.ms(20));
    return hints.count > 0 ? true : undefined;
  }, `a listener is never called although ${occasion}`);
}

import type { CoordinationStore } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseContext } from "../context.ts";

type Watch = NonNullable<CoordinationStore["watch"]>;

/**
 * The hints of a store that pushes. Not a safety matter: hints may be lost or repeated, so each case gives several
 * occasions.
 */
export const push: readonly CaseDefinition[] = casesOf({ rule: "R16" }, [
  {
    name: "watch is there exactly when capabilities.push says so",
    async run(context) {
      const store = await context.bareStore();
      context.equal(
        typeof store.watch === "function",
        context.target.capabilities.push,
        "whether the store has watch()",
      );
    },
  },
  {
    name: "a watcher is told soon after the membership changed, also when another client changed it",
    needs: ["ledger", "push"],
    async run(context) {
      const group = await context.newGroup();
      const a = group.member();
      await a.join();
      const hints = new Hints();
      const stop = await watch(group.store, group.name, hints);
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
    name: "a watcher is told soon after agreement was reached",
    why: "a member that waits for its exact share need not wait for its next heartbeat",
    needs: ["ledger", "push"],
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const hints = new Hints();
      const stop = await watch(group.store, group.name, hints);
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
    name: "a watcher that stopped is told nothing more, and stopping twice is harmless",
    needs: ["ledger", "push"],
    async run(context) {
      const group = await context.newGroup();
      await group.member().join();
      const [stopped, listening] = [new Hints(), new Hints()];
      const stop = await watch(group.store, group.name, stopped);
      const stopOther = await watch(group.store, group.name, listening);
      await told(context, listening, "a member joined", () => group.member().join());
      stop();
      stop();
      stopped.clear();
      listening.clear();
      await told(context, listening, "a member joined after another watcher stopped", () => group.member().join());
      context.equal(stopped.count, 0, "hints to a watcher that stopped");
      stopOther();
    },
  },
  {
    name: "watch is refused with an aborted signal, with a malformed group and on a closed store",
    needs: ["push"],
    async run(context) {
      const store = await context.openStore();
      const watching = store as CoordinationStore & { watch: Watch };
      const group = context.group();
      await context.refused(
        watching.watch(group, () => {}, AbortSignal.abort()),
        ["DT_ABORTED"],
        "watch with an aborted signal",
      );
      await context.refused(
        watching.watch("", () => {}),
        ["DT_INVALID_OPTION"],
        "watch of an empty group name",
        "R15",
      );
      await store.close();
      await context.refused(
        watching.watch(group, () => {}),
        ["DT_STORE_CLOSED"],
        "watch on a closed store",
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

function watch(store: CoordinationStore, group: string, hints: Hints): Promise<() => void> {
  return (store as CoordinationStore & { watch: Watch }).watch(group, () => {
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
  }, `a watcher is never told that ${occasion}`);
}

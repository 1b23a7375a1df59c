import type { CoordinationStore } from "@dt/core";
import { Answered } from "../answered.ts";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseContext } from "../context.ts";

const READERS = 3;
const ROUNDS = 20;
/**
 * Groups that are written to when the server is taken away, each by one call after the other: enough that some call is
 * always between answer and commit.
 */
const GROUPS = 24;
/** Answers that every group has had by then. */
const ANSWERS = 12;

/** R1: what was answered has happened. */
export const commits: readonly CaseDefinition[] = casesOf({ rule: "R1" }, [
  {
    name: "what was answered is there at once, for every client",
    why: "an answer from before the commit reports a raise or a farewell that may never happen",
    needs: ["ledger", "separateStores"],
    async run(context) {
      const group = await context.newGroup();
      const readers: CoordinationStore[] = [];
      for (let i = 0; i < READERS; i++) {
        const reader = await context.bareStore();
        await back(context, reader, group.name);
        readers.push(reader);
      }
      const answered = new Answered(group.name);
      const look = async (): Promise<void> => {
        for (const snapshot of await Promise.all(readers.map((reader) => reader.inspect(group.name))))
          context.equal(answered.missing(snapshot), undefined, "what was answered and is not there for another client");
      };
      await answered.join(group.member());
      for (let round = 0; round < ROUNDS; round++) {
        const member = group.member();
        await answered.join(member);
        await look();
        await answered.leave(member);
        await look();
      }
    },
  },
  {
    name: "what was answered outlives the server that answered it",
    why: "members use their tokens while the server starts again; a server that forgot them gives them to others",
    needs: ["ledger", "keepsData", "kill", "restart"],
    run: (context) => outlives(context, comeAndGo, kill(context)),
  },
  {
    name: "a raise that was answered outlives the server that answered it",
    rule: "R7",
    why: "a commit that does not wait for the disk may be lost until a later one does",
    needs: ["ledger", "keepsData", "kill", "restart"],
    run: (context) => outlives(context, raiseBitByBit, kill(context)),
  },
  {
    name: "what was answered is there after the network was cut in the middle of other calls",
    needs: ["ledger", "partition", "heal"],
    run: (context) =>
      outlives(context, comeAndGo, {
        state: "cut off",
        begin: () => context.target.faults?.partition?.(),
        end: () => context.target.faults?.heal?.(),
      }),
  },
]);

interface Outage {
  readonly state: string;
  begin(): Promise<void> | undefined;
  end(): Promise<void> | undefined;
}

function kill({ target }: CaseContext): Outage {
  return {
    state: "killed",
    begin: () => target.faults?.kill?.(),
    end: () => target.faults?.restart?.({ keepData: true }),
  };
}

/** Calls of a group's members, one after the other, until one fails. */
type Write = (context: CaseContext, store: CoordinationStore, answered: Answered) => Promise<void>;

/** Many groups are written to without a pause, until the server is gone. Then all that was answered has to be there. */
async function outlives(context: CaseContext, write: Write, { state, begin, end }: Outage): Promise<void> {
  const stores = [await context.store()];
  while (stores.length < 4) stores.push(await context.client());
  const groups = Array.from({ length: GROUPS }, () => new Answered(context.group()));
  let ending = false;
  const writing = groups.map(async (answered, i) => {
    try {
      await write(context, stores[i % stores.length] as CoordinationStore, answered);
    } catch (error) {
      if (!ending) throw error;
    }
  });
  const written = Promise.all(writing);
  const begun = async (): Promise<true | undefined> => groups.every(({ answers }) => answers >= ANSWERS) || undefined;
  await Promise.race([written, context.until(begun, `${GROUPS} groups at once get no further`, 1)]);
  context.note(`the server is ${state}`);
  ending = true;
  try {
    await begin();
    await written;
  } finally {
    context.note(`the server is no longer ${state}`);
    await end();
  }
  const reader = await context.bareStore();
  for (const answered of groups) {
    const snapshot = await back(context, reader, answered.group);
    context.equal(
      answered.missing(snapshot),
      undefined,
      `what was answered before the server was ${state}, and is not there afterwards`,
    );
  }
}

const comeAndGo: Write = async (context, store, answered) => {
  for (;;) {
    const [keeper, guest] = [context.member(store, answered.group), context.member(store, answered.group)];
    await answered.join(keeper);
    await answered.join(guest);
    await answered.sync(keeper);
    await answered.sync(guest);
    await answered.leave(keeper);
    await answered.sync(guest);
    await answered.leave(guest);
  }
};

/** Nothing but raises and what they are made of: no other commit brings them to the disk. */
const raiseBitByBit: Write = async (context, store, answered) => {
  const max = 1_000_000;
  const keeper = context.member(store, answered.group, { max });
  const guest = context.member(store, answered.group, { max });
  await answered.join(keeper);
  await answered.join(guest);
  for (let held = max - 1; ; held--) {
    await answered.sync(keeper, { held });
    await answered.sync(guest);
  }
};

/** What the store says as soon as it answers. */
function back(context: CaseContext, store: CoordinationStore, group: string): ReturnType<CoordinationStore["inspect"]> {
  return context.until(
    () => store.inspect(group).catch(() => undefined),
    "the store does not answer although its server is there",
    100,
  );
}

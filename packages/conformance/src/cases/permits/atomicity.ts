import { isDtError } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { checkInPortions } from "../../linearizability/check-permit-history.ts";
import { permitOperations } from "../../linearizability/history-operations.ts";
import { insist } from "../../permits/insist.ts";
import type { PermitKey } from "../../permits/permit-key.ts";
import type { PermitStore } from "../../permits/permit-store.ts";

/** P1: many clients at once. */
export const atomicity: readonly CaseDefinition[] = casesOf({ rule: "P1", needs: ["permits"] }, [
  {
    name: "what many clients reserve, repeat and give back at the same time is what they would have got one after the other",
    why: "this is the promise that everything else is for",
    async run(context) {
      const key = await context.permitKey({ everyMs: context.ms(15), maxReserved: 12 });
      await contend(context, key, { workers: 12, reservations: 120 });
    },
  },
  {
    name: "the same with costs, bursts, blocks and a queue",
    async run(context) {
      const plain = await context.permitKey({ everyMs: context.ms(20), maxReserved: 6 });
      await contend(context, plain, { workers: 8, reservations: 80, blocks: true });
      const burst = await context.permitKey({ everyMs: context.ms(20), maxReserved: 3, burst: 3 });
      await contend(context, burst, { workers: 8, reservations: 80, blocks: true, queueMs: context.ms(80) });
    },
  },
  {
    name: "reservations at the same time each get an instant of their own, without a gap",
    async run(context) {
      const key = await context.permitKey();
      const stores = await clients(context);
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, i) => {
          const request = key.request();
          return insist(context, () => (stores[i % stores.length] as PermitStore).reserve(key.key, request));
        }),
      );
      const instants = answers.map((answer) => instantOf(answer, 0)).sort((a, b) => a - b);
      for (const [i, atMs] of instants.entries())
        key.at(atMs, (instants[0] as number) + i * key.everyMs, `instant ${i + 1} of 32 reserved at the same time`);
    },
  },
]);

/** A sound history of this length takes some hundred steps; one with unanswered calls may take many more. */
const MOST_STEPS = 20_000;

interface Contention {
  readonly workers: number;
  readonly reservations: number;
  /** Several permits at once, and costs other than 1. */
  readonly blocks?: boolean;
  readonly queueMs?: number;
}

/** Random calls from many clients at once; then the whole history must have a sequential explanation. */
async function contend(context: CaseContext, key: PermitKey, contention: Contention): Promise<void> {
  const stores = await clients(context);
  // A store that is slow by nature needs less of it to be as busy.
  const part = (context.target.timeScale ?? 1) > 1 ? 0.5 : 1;
  const workers = contention.workers * part;
  let left = contention.reservations * part;
  const worker = async (number: number): Promise<void> => {
    const store = stores[number % stores.length] as PermitStore;
    while (left > 0) {
      left -= 1;
      await act(context, key, store, contention);
      if (context.random() < 0.3) await context.sleep(context.random() * key.everyMs);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, number) => worker(number)));
  const operations = permitOperations(context.history, key.key);
  const limits = { clockErrorMs: context.clockErrorMs, maxSteps: MOST_STEPS };
  const result = await checkInPortions(operations, limits, () => context.sleep(0));
  const unanswered = operations.filter(({ endMs }) => endMs === undefined).length;
  context.that(
    unanswered <= operations.length / 2,
    `${unanswered} of ${operations.length} calls of ${workers} at a time on one key were not answered in time`,
  );
  if (result.verdict === "not linearizable")
    context.fail(
      `no order of ${operations.length} calls at the same time explains what they were answered: ${result.explanation}`,
    );
  // Every unanswered call doubles what there is to try.
  context.that(
    result.verdict === "linearizable" || unanswered > 0,
    `whether the answers have a sequential explanation is undecided after ${MOST_STEPS} steps`,
  );
}

/** One reservation and, sometimes, what comes of it: repeated, or given back in part, once or twice at once. */
async function act(context: CaseContext, key: PermitKey, store: PermitStore, contention: Contention): Promise<void> {
  const { random } = context;
  const count = contention.blocks && random() < 0.4 ? 1 + Math.floor(random() * 4) : 1;
  const cost = contention.blocks && random() < 0.3 ? 0.5 + Math.floor(random() * 4) / 2 : 1;
  const request = key.request({ count, cost, queueMs: contention.queueMs ?? 0 });
  const answer = await unlessLate(store.reserve(key.key, request));
  if (!answer) return;
  const dice = random();
  if (dice < 0.2) {
    await unlessLate(store.reserve(key.key, request));
    return;
  }
  if (dice > 0.55) return;
  const release = { id: request.id, keep: Math.floor(random() * (answer.granted + 1)) };
  const again = dice < 0.3 ? [unlessLate(store.release(key.key, release))] : [];
  await Promise.all([unlessLate(store.release(key.key, release)), ...again]);
}

/** Under contention a store that compares and swaps may be late: such a call took effect or not. */
async function unlessLate<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isDtError(error, "DT_STORE_TIMEOUT") || isDtError(error, "DT_STORE_UNAVAILABLE")) return undefined;
    throw error;
  }
}

async function clients(context: CaseContext): Promise<PermitStore[]> {
  const stores = [await context.permitStore()];
  while (stores.length < 4) stores.push(await context.permitClient());
  return stores;
}

// A real process whose callers make calls, each with a lease of the fleet's budget, and read their streams to the end.
// Says "ready"; "unsettled" when a lease of the exact budget is overdue. Does what it is told: "go"; "reserve <task>
// <n>" (of the exact budget; answers "reserved <task> <ids>"); "settle <units>" (all of them); "wasted <task>" (answers
// "wasted <task> <n>", reservations that came too late); "drain" (answers "drained <in order or not>", and must end).
import { Agent, type IncomingMessage, request } from "node:http";
import { createInterface } from "node:readline";
import { type Budget, createBudget, type Lease } from "@dt/budget";
import { type BudgetLedger, isDtError } from "@dt/core";
import { EXACT, EXACT_LIMITS, EXACT_UNITS, FLEET, STORE_TIMEOUT_MS, type WorkerSettings } from "./settings.ts";

/** A call reserves its prompt and so much output. */
const USUAL_OUTPUT = 100;
/** One call in so many puts out up to twice as much. */
const ONE_OVERRUNS_IN = 50;

const settings = JSON.parse(process.argv[2] as string) as WorkerSettings;
const { worker, calleeUrl, quota, latenessMs, callers, holdMs, settleWithinMs } = settings;
const module = (await import(settings.module)) as Record<string, (options: object) => BudgetLedger & AsyncDisposable>;
const store = (module[settings.factory] as NonNullable<(typeof module)[string]>)(settings.store);
const per = (count: number) => ({ rate: `${count}/${quota.windowMs / 1_000}s` }) as const;
const common = { store, storeTimeout: STORE_TIMEOUT_MS, settleWithin: settleWithinMs };
const fleet = createBudget({
  name: FLEET,
  limits: { requests: per(quota.requests), tokens: per(quota.tokens) },
  lateness: latenessMs,
  ...common,
});
// Its calls are not made, so none of them is late.
const exact: Budget<"tokens"> = createBudget({ name: EXACT, limits: EXACT_LIMITS, lateness: "10s", ...common });
exact.on("unsettled", () => say("unsettled"));
const agent = new Agent({ keepAlive: true });
let held: Lease<"tokens">[] = [];
let stopping = false;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Line {
  readonly usage?: { readonly tokens: number };
}

/** The lines of an answer. Fails where the stream is cut. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<Line> {
  let rest = "";
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}

function call(path: string): Promise<AsyncGenerator<Line>> {
  return new Promise((resolve, reject) => {
    request(`${calleeUrl}/${path}`, { agent }, (response) => resolve(linesOf(response)))
      .on("error", reject)
      .end();
  });
}

async function callOnce(): Promise<void> {
  const prompt = 20 + Math.floor(61 * Math.random());
  const most = USUAL_OUTPUT * (Math.random() * ONE_OVERRUNS_IN < 1 ? 2 : 1);
  const tokens = prompt + USUAL_OUTPUT;
  const forMs = Math.round(holdMs * (0.5 + Math.random()));
  const output = Math.ceil(most * Math.random());
  const stream = await fleet.run((lease) => call([worker, lease.id, tokens, prompt, output, forMs].join("/")), {
    cost: { tokens },
    settle: (line) => (line as Line).usage,
  });
  for await (const _ of stream);
}

async function caller(): Promise<void> {
  while (!stopping) {
    try {
      await callOnce();
    } catch (error) {
      if (isDtError(error, "DT_STOPPED")) return;
      // The store is away, or the stream was cut.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function reserve(task: string, count: number): Promise<void> {
  const leases = await Promise.all(Array.from({ length: count }, () => exact.acquire({ tokens: EXACT_UNITS })));
  held = [...held, ...leases];
  say(`reserved ${task} ${leases.map(({ id }) => id).join(",")}`);
}

async function drain(): Promise<void> {
  stopping = true;
  const inOrder = await Promise.all([fleet, exact].map((budget) => budget.drain({ timeout: "20s" })));
  say(`drained ${inOrder.every(Boolean)}`);
  await store[Symbol.asyncDispose]();
  agent.destroy();
  lines.close();
  process.stdin.destroy();
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [word, first = "", second] = line.split(" ");
  if (word === "go") for (let i = 0; i < callers; i++) void caller();
  if (word === "reserve") void reserve(first, Number(second));
  if (word === "settle") {
    for (const lease of held) lease.settle({ tokens: Number(first) });
    held = [];
  }
  if (word === "wasted") say(`wasted ${first} ${fleet.status().wasted}`);
  if (word === "drain") void drain();
});
say("ready");

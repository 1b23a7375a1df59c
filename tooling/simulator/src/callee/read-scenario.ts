import { FieldReader } from "./field-reader.ts";
import { startOf } from "./ideal.ts";
import { limiterNamed } from "./limiters.ts";
import type { Callee, CalleeChange, Clients, Load, Scenario, Service } from "./scenario.ts";

/** Bounds that keep a run within seconds and memory. */
const MOST_CALLS = 20_000_000;
const MOST_SECONDS = 36_000;
const MOST_MS = 3_600_000;

/**
 * Checks a scenario that somebody wrote, as JSON has it, and fills in what was left out: a timeout of 1 s, no
 * cancelling, a title, and what is measured: all but the first 20 s, or the first quarter where that is less.
 * @throws TypeError that names the field, the value and the remedy
 */
export function readScenario(value: unknown, name: string): Scenario {
  const root = new FieldReader(value, "the scenario");
  const seconds = root.number("seconds", { more: 0, most: MOST_SECONDS });
  const scenario = {
    name,
    title: root.text("title", name),
    seconds,
    measured: measuredOf(root.object("measured"), seconds),
    timeoutMs: root.number("timeoutMs", { more: 0, most: MOST_MS }, 1_000),
    cancels: root.flag("cancels", false),
    callee: calleeOf(root.object("callee"), seconds),
    clients: root.list("clients").map((one) => clientsOf(one, seconds)),
  };
  root.end();
  const calls = callsOf(scenario);
  if (calls > MOST_CALLS)
    throw new TypeError(
      `the scenario has about ${Math.round(calls / 1e6)} million calls; lower seconds, count, users or perSecond until there are at most ${MOST_CALLS / 1e6} million`,
    );
  return scenario;
}

function measuredOf(reader: FieldReader | undefined, seconds: number): Scenario["measured"] {
  const warmUp = Math.min(20, seconds / 4);
  if (reader === undefined) return { fromSeconds: warmUp, toSeconds: seconds };
  const toSeconds = reader.number("toSeconds", { more: 0, most: seconds }, seconds);
  const fromSeconds = reader.number("fromSeconds", { least: 0, most: toSeconds }, Math.min(warmUp, toSeconds / 4));
  if (fromSeconds >= toSeconds) reader.refuse("fromSeconds", fromSeconds, `less than toSeconds, ${toSeconds}`);
  reader.end();
  return { fromSeconds, toSeconds };
}

function calleeOf(reader: FieldReader | undefined, seconds: number): Callee {
  if (reader === undefined) throw new TypeError('the scenario has no callee; give one, as in { "servers": 32, ... }');
  const pauses = reader.object("pauses");
  const changes = reader.list("changes", []).map((one) => changeOf(one, seconds));
  inOrder(changes, "callee.changes");
  const callee = {
    servers: reader.number("servers", SERVERS),
    service: serviceOf(reader.object("service")),
    ...reader.given("queue", { least: 0, most: 1e9, whole: true }),
    ...reader.given("contention", { least: 0, most: 100 }),
    ...reader.given("coherence", { least: 0, most: 100 }),
    ...reader.given("failures", PART),
    ...(pauses && { pauses: pausesOf(pauses) }),
    changes,
  };
  reader.end();
  return callee;
}

const SERVERS = { least: 1, most: 100_000, whole: true };
const PART = { least: 0, most: 1 };

function pausesOf(reader: FieldReader): NonNullable<Callee["pauses"]> {
  const pauses = {
    everyMs: reader.number("everyMs", { least: 1, most: MOST_MS }),
    lastMs: reader.number("lastMs", { more: 0, most: MOST_MS }),
  };
  reader.end();
  return pauses;
}

function changeOf(reader: FieldReader, seconds: number): CalleeChange {
  const change = {
    atSeconds: reader.number("atSeconds", { more: 0, most: seconds }),
    ...reader.given("servers", SERVERS),
    ...reader.given("slower", { more: 0, most: 1_000_000 }),
    ...reader.given("failures", PART),
    ...reader.given("refusals", PART),
  };
  reader.end();
  return change;
}

function serviceOf(reader: FieldReader | undefined): Service {
  if (reader === undefined)
    throw new TypeError('callee.service is missing; give one, as in { "kind": "exponential", "meanMs": 50 }');
  const ms = { more: 0, most: MOST_MS };
  const kind = reader.choice("kind", ["fixed", "exponential", "bimodal", "lognormal"]);
  const service: Service =
    kind === "fixed"
      ? { kind, ms: reader.number("ms", ms) }
      : kind === "exponential"
        ? { kind, meanMs: reader.number("meanMs", ms) }
        : kind === "bimodal"
          ? {
              kind,
              fastMs: reader.number("fastMs", ms),
              slowMs: reader.number("slowMs", ms),
              slowShare: reader.number("slowShare", PART),
            }
          : { kind, medianMs: reader.number("medianMs", ms), spread: reader.number("spread", { least: 0, most: 3 }) };
  reader.end();
  return service;
}

function clientsOf(reader: FieldReader, seconds: number): Clients {
  const load = reader.object("load");
  if (load === undefined)
    throw new TypeError(`${reader.path}.load is missing; give one, as in { "kind": "open", "perSecond": 100 }`);
  const clients = {
    ...reader.given("count", { least: 1, most: 1_000, whole: true }),
    ...reader.given("startSeconds", { least: 0, most: seconds }),
    ...reader.given("staggerSeconds", { least: 0, most: seconds }),
    ...reader.given("roundTripMs", { least: 0, most: MOST_MS }),
    ...limiterOf(reader),
    ...costOf(reader),
    load: loadOf(load, seconds),
  };
  reader.end();
  const last = startOf(clients, (clients.count ?? 1) - 1);
  if (last >= seconds) throw new TypeError(`${reader.path}: the last client begins at ${last} s, when all is over`);
  return clients;
}

/** The name of what these clients use whatever is compared. */
function limiterOf(reader: FieldReader): Pick<Clients, "limiter"> {
  const limiter = reader.text("limiter", "");
  if (limiter === "") return {};
  if (limiterNamed(limiter) === undefined) reader.refuse("limiter", limiter, 'give an algorithm, or "none"');
  return { limiter };
}

/** One cost for all calls, or a list of costs and of the parts of the calls that have them. */
function costOf(reader: FieldReader): Pick<Clients, "cost"> {
  const cost = { more: 0, most: 1_000 };
  if (!reader.isList("cost")) return reader.given("cost", cost);
  const parts = reader.list("cost").map((part) => {
    const one = { cost: part.number("cost", cost), share: part.number("share", { more: 0, most: 1_000 }) };
    part.end();
    return one;
  });
  return { cost: parts };
}

function loadOf(reader: FieldReader, seconds: number): Load {
  const rate = { least: 0, most: 1_000_000 };
  if (reader.choice("kind", ["open", "closed"]) === "closed") {
    const load = {
      kind: "closed" as const,
      users: reader.number("users", { least: 1, most: 100_000, whole: true }),
      thinkMs: reader.number("thinkMs", { least: 1, most: MOST_MS }),
    };
    reader.end();
    return load;
  }
  const wave = reader.object("wave");
  const changes = reader.list("changes", []).map((change) => {
    const at = {
      atSeconds: change.number("atSeconds", { more: 0, most: seconds }),
      perSecond: change.number("perSecond", rate),
    };
    change.end();
    return at;
  });
  inOrder(changes, `${reader.path}.changes`);
  const load = {
    kind: "open" as const,
    perSecond: reader.number("perSecond", rate),
    changes,
    ...(wave && {
      wave: {
        periodSeconds: wave.number("periodSeconds", { more: 0, most: MOST_SECONDS }),
        part: wave.number("part", PART),
      },
    }),
  };
  wave?.end();
  reader.end();
  return load;
}

function inOrder(changes: readonly { readonly atSeconds: number }[], path: string): void {
  changes.forEach(({ atSeconds }, index) => {
    const before = changes[index - 1]?.atSeconds ?? 0;
    if (atSeconds <= before)
      throw new TypeError(
        `${path}[${index}].atSeconds is ${atSeconds}; give changes in order, this one after ${before}`,
      );
  });
}

function callsOf({ clients, seconds }: Pick<Scenario, "clients" | "seconds">): number {
  const perSecond = clients.map(({ count = 1, load }) => {
    if (load.kind === "closed") return (count * load.users * 1_000) / load.thinkMs;
    const most = Math.max(load.perSecond, ...(load.changes ?? []).map((change) => change.perSecond));
    return count * most * (1 + (load.wave?.part ?? 0));
  });
  return seconds * perSecond.reduce((sum, rate) => sum + rate, 0);
}

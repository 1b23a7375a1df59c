import { type Runtime, systemRuntime } from "@dt/core";
import { Random } from "@dt-tooling/simulator/random";
import { Command, InvalidArgumentError } from "commander";
import { Callee } from "../callee/callee.ts";
import {
  type CalleeSettings,
  FATES,
  type Fate,
  LONGEST_TAKES_MS,
  type Phase,
  type ProviderSettings,
} from "../callee/settings.ts";
import { Failure, UsageError } from "../exit-code.ts";
import { untilInterrupted } from "../interruption.ts";
import { durationOption, durationUpTo, rateOption, wholeNumber } from "../options.ts";
import { print, printJson } from "../terminal.ts";
import type { CommandDefinition } from "./command.ts";

/** Requests at once, where nothing is stated. */
const CAPACITY = 20;
/** A provider refuses by rate, not by calls in flight. */
const MOST_CAPACITY = 100_000;
const TOKEN_TAKES_MS = 10;
/** What is longer leads to dates that RFC 3339 does not have. */
const LONGEST_WINDOW_MS = 366 * 86_400_000;

/** How long a request takes. */
const takesOption: (text: string) => number = durationUpTo(LONGEST_TAKES_MS, "1h");
const seedOption: (text: string) => number = wholeNumber(0, 2 ** 32 - 1);

/** What commander makes of the command line. */
interface Flags extends Omit<CalleeSettings, "rate" | "provider" | "capacity" | "slow" | "takesMs" | "ids"> {
  readonly rate?: NonNullable<CalleeSettings["rate"]>;
  readonly tokens?: ProviderSettings["tokens"];
  readonly stream?: boolean;
  readonly tokenTakes?: number;
  readonly seed?: number;
  readonly capacity?: number;
  readonly slow?: NonNullable<CalleeSettings["slow"]>;
  readonly takes: number;
  readonly ids?: string;
  readonly attached?: boolean;
  readonly json?: boolean;
}

export const callee: CommandDefinition = {
  define: () =>
    new Command("callee")
      .summary("a server that takes only so much, to try clients against")
      .description(
        "Listens on 127.0.0.1 and answers requests as the options state. It takes so many in a window, and answers 429 beyond them, with RateLimit and Retry-After. It works on so many at once: the others wait, which Server-Timing reports, and too many are answered 503. Some are slow, fail or are never answered. GET /stats counts the requests and their ends, in all and by the second. POST /takes?ms=50 changes how long a request takes. With --tokens it stands for a provider of language models, as the README describes. The command ends with exit code 0 and its books on SIGINT or SIGTERM.",
      )
      .option("--port <n>", "0 for one that is free", wholeNumber(0, 65_535), 0)
      .option(
        "--rate <rate>",
        "requests in a window, such as 600/min; it begins with its first request, and slides with --tokens",
        rateOption,
      )
      .option(
        "--tokens <rate>",
        "stand for a provider of language models that takes so many tokens in a sliding window, such as 60000/min: answers POST /v1/chat/completions as OpenAI and POST /v1/messages as Anthropic",
        rateOption,
      )
      .option("--stream", "answer stream: true with server-sent events; needs --tokens")
      .option("--token-takes <time>", "how long each token of a stream takes (default: 10ms)", takesOption)
      .option(
        "--capacity <n>",
        `requests that are worked on at once (default: ${CAPACITY}, with --tokens ${MOST_CAPACITY})`,
        wholeNumber(1, MOST_CAPACITY),
      )
      .option("--queue <n>", "requests that may wait to be worked on", wholeNumber(0, 1_000_000), 1_000)
      .option("--no-server-timing", "do not report how long a request waited")
      .option("--takes <time>", "how long a request is worked on", takesOption, 20)
      .option("--exponential", "--takes is a mean: most take less, a few much longer", false)
      .option("--slow <part:time>", "requests that take longer, such as 5%:2s", slowOption)
      .option("--fail <part>", "requests answered 500, such as 1%", partOption, 0)
      .option("--hang <part>", "requests that are never answered", partOption, 0)
      .option(
        "--phases <list>",
        "from the first request on, for a while all have one fate, then the next, and again from the first: ok, throttle, fail, slow, hang or cut, such as ok:10s,throttle:5s,slow=2s:5s",
        phasesOption,
        [],
      )
      .option("--ids <header>", "the header that names a record: /stats then counts those accepted once, and again")
      .option("--finishes-all", "work on requests whose clients have left as if they had not", false)
      .option("--attached", "end when standard input ends: with the program that holds it")
      .option("--seed <n>", "chance from this number: the same requests, one by one, get the same", seedOption)
      .option("--json", "print everything as JSON: the address, every second in which something happened, the books")
      .action(runCallee),
};

async function runCallee(flags: Flags): Promise<void> {
  const { json = false, attached = false, seed } = flags;
  const say = (value: object, text?: string): void => {
    if (json) printJson(value);
    else if (text !== undefined) print(`${text}\n`);
  };
  const running = new Callee(settingsOf(flags), { closed: (second) => say(second), runtime: runtimeOf(seed) });
  await untilInterrupted(async (signal) => {
    const stopped = new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
      if (attached) process.stdin.resume().once("end", resolve);
    });
    const url = await running.listen().catch((error: Error) => {
      throw new Failure(`cannot listen: ${error.message}`);
    });
    say({ url }, `Listening on ${url}`);
    await stopped;
    await running.close();
    if (attached) process.stdin.destroy();
  });
  const { seconds, ...stats } = running.stats();
  say({ ...stats, seconds: seconds.length }, textOf(stats));
}

function settingsOf(flags: Flags): CalleeSettings {
  const { rate, slow, takes, ids, capacity, ...rest } = flags;
  const provider = providerOf(flags);
  const usual = provider === undefined ? CAPACITY : MOST_CAPACITY;
  return { ...rest, rate, slow, provider, capacity: capacity ?? usual, takesMs: takes, ids: ids?.toLowerCase() };
}

function providerOf({ rate, tokens, stream, tokenTakes }: Flags): ProviderSettings | undefined {
  if (tokens === undefined) {
    if (stream !== undefined) throw new UsageError("--stream needs --tokens, such as --tokens 60000/min");
    if (tokenTakes !== undefined) throw new UsageError("--token-takes needs --tokens and --stream");
    return undefined;
  }
  if (Math.max(tokens.intervalMs, rate?.intervalMs ?? 0) > LONGEST_WINDOW_MS)
    throw new UsageError("with --tokens give windows of at most 366 days");
  return { tokens, streams: stream ?? false, tokenTakesMs: tokenTakes ?? TOKEN_TAKES_MS };
}

function runtimeOf(seed: number | undefined): Runtime {
  if (seed === undefined) return systemRuntime;
  const chance = new Random(seed);
  return { ...systemRuntime, random: () => chance.next() };
}

function textOf(stats: object): string {
  const parts = Object.entries(stats).map(([name, count]) => `${name} ${count}`);
  return parts.join(", ");
}

/** `5%`: a part from 0 to 1. */
function partOption(text: string): number {
  const value = /^\d+(?:\.\d+)? ?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (value <= 100) return value / 100;
  throw new InvalidArgumentError('Give a percentage such as "5%".');
}

/** `5%:2s`: so many requests take so long. */
function slowOption(text: string): { readonly part: number; readonly takesMs: number } {
  const [part = "", takes, ...rest] = text.split(":");
  if (takes === undefined || rest.length > 0)
    throw new InvalidArgumentError('Give a percentage and a time, such as "5%:2s".');
  return { part: partOption(part), takesMs: takesOption(takes) };
}

/** `ok:10s,throttle:5s,slow=2s:5s`. */
function phasesOption(text: string): Phase[] {
  return text.split(",").map((phase) => {
    const [, name = "", takes, lasts] = /^\s*(\w+)(?:=([^:]+))?:(.+?)\s*$/.exec(phase) ?? [];
    if (lasts === undefined || !FATES.includes(name as Fate))
      throw new InvalidArgumentError(
        `"${phase}" is no phase; give ${FATES.join(", ")} with a time, such as "ok:10s,throttle:5s,slow=2s:5s".`,
      );
    const lastsMs = durationOption(lasts);
    if (lastsMs === 0) throw new InvalidArgumentError(`"${phase}" lasts no time.`);
    return { fate: name as Fate, lastsMs, takesMs: takes === undefined ? undefined : takesOption(takes) };
  });
}

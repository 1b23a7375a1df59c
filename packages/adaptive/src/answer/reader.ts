import { type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkKeys, checkRuntime, invalidOption } from "@dt/core/internal";
import type { Verdict } from "../outcome/classify.ts";
import type { Answer } from "./answer-of.ts";
import { fieldOf } from "./fields.ts";
import { readAnswer, type Told } from "./told.ts";

/** What a hook is asked about. */
export interface AnswerFacts {
  /** Undefined where a call threw an error without one. */
  readonly status: number | undefined;
  /** One of its header fields, by name. */
  header(name: string): string | undefined;
  /** The response, or the error that was thrown. Its body is not read yet. */
  readonly source: unknown;
}

/** What a hook knows of an answer. */
export interface Telling {
  /** For how long nothing should be sent, in milliseconds. */
  readonly pauseMs?: number | undefined;
  /**
   * True for a refusal, false for an answer that only looks like one. Default: as the status and the fields say; with
   * `pauseMs` also a 4xx, and an error without a status.
   */
  readonly refused?: boolean | undefined;
}

/** Reads what is not known here, such as a service's own field; undefined leaves it to what is. */
export type TellingHook = (answer: AnswerFacts) => Telling | undefined;

/** Options of {@link createAnswerReader}. */
export interface AnswerReaderOptions {
  /** Is asked first about each answer, and each error that has none. What it throws is the call's error. */
  readonly told?: TellingHook | undefined;
  /** Whose `wallTimeMs` dates are compared with in answers without `Date`. Default: the real one. */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof AnswerReaderOptions>(["told", "runtime"]);
const TELLING: ReadonlySet<string> = new Set<keyof Telling>(["pauseMs", "refused"]);

/** Reads what answers tell. Made by {@link createAnswerReader}. */
export class AnswerReader {
  readonly #told: TellingHook | undefined;
  readonly #runtime: Runtime;

  /** Use {@link createAnswerReader}. */
  constructor({ told, runtime = systemRuntime }: AnswerReaderOptions) {
    this.#told = told;
    this.#runtime = runtime;
  }

  /**
   * What an answer tells.
   * @throws DtError `DT_INVALID_OPTION` when the hook gives something else than it should, and what the hook throws
   */
  read({ status, headers, source }: Answer): Told {
    const told = readAnswer(status, headers, this.#runtime.wallTimeMs?.() ?? Number.NaN);
    if (this.#told === undefined) return told;
    const telling = this.#told({ status, header: (name) => fieldOf(headers, name), source });
    return telling === undefined ? told : amended(told, status, checkTelling(telling));
  }

  /** What the hook says of an error that carries no answer; undefined where it says nothing. */
  readError(error: unknown): Told | undefined {
    if (this.#told === undefined) return undefined;
    const told = this.read({ status: undefined, headers: undefined, source: error });
    return told.outcome === undefined ? undefined : told;
  }
}

/**
 * Creates a reader of answers, for a classifier (`classifierOf(reader)`) or by itself.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function createAnswerReader(options: AnswerReaderOptions = {}): AnswerReader {
  checkKeys("options", options, OPTIONS);
  if (options.told !== undefined && typeof options.told !== "function")
    throw invalidOption("told", options.told, "give a function of an answer, such as () => ({ pauseMs: 1000 })");
  if (options.runtime !== undefined) checkRuntime(options.runtime);
  return new AnswerReader(options);
}

/** What an answer means. A refusal whose wait is over already tells no time. */
export function verdictOf(told: Told): Verdict {
  const { outcome = "success", refused, pauseMs, by, queueWaitMs } = told;
  const retryAfterMs = refused && by === "ratelimit" && pauseMs === 0 ? undefined : pauseMs;
  return {
    outcome,
    report: queueWaitMs === undefined ? undefined : { queueWaitMs },
    retryAfterMs,
    refused: refused || undefined,
  };
}

function amended(told: Told, status: number | undefined, { pauseMs, refused }: Telling): Told {
  const pauses = pauseMs !== undefined;
  const refuses = refused ?? (told.refused || (pauses && (status === undefined || (status >= 400 && status < 500))));
  const other = told.refused ? (status !== undefined && status < 500 ? "ignored" : "failure") : told.outcome;
  return {
    ...told,
    outcome: refuses ? "overload" : other,
    refused: refuses,
    ...(pauses && { pauseMs, by: "told" as const }),
  };
}

function checkTelling(telling: Telling): Telling {
  checkKeys("told", telling, TELLING);
  const { pauseMs, refused } = telling;
  if (refused !== undefined && typeof refused !== "boolean")
    throw invalidOption("told.refused", refused, "give true or false, or leave it out");
  return { refused, pauseMs: pauseMs === undefined ? undefined : checkDuration("told.pauseMs", pauseMs, 0) };
}

/** Reads answers by the real clock, without a hook. */
export const usualReader: AnswerReader = new AnswerReader({});

/**
 * What an answer tells, for those who have one in hand.
 * @example toldBy(response.status, response.headers).pauseMs
 */
export function toldBy(status: number, headers: unknown): Told {
  return usualReader.read({ status, headers, source: undefined });
}

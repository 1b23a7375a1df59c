import { type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkKeys, checkRuntime, invalidOption } from "@dt/core/internal";
import type { Verdict } from "../outcome/classify.ts";
import type { Answer } from "./answer-of.ts";
import { fieldOf } from "./fields.ts";
import { type AnswerReport, reportOf } from "./report.ts";

/** What a hook is asked about. */
export interface AnswerFacts {
  /** Undefined where a call threw an error without one. */
  readonly status: number | undefined;
  /**
   * One of its header fields.
   * @param name in any case
   */
  header(name: string): string | undefined;
  /** The response, or the error that was thrown. Its body is not read yet. */
  readonly source: unknown;
}

/** What a hook reports of an answer. */
export interface HookReport {
  /**
   * For how long nothing should be sent, in milliseconds.
   * @default as the fields report
   */
  readonly pauseMs?: number | undefined;
  /**
   * True for a refusal, false for an answer that only looks like one.
   * @default as the status and the fields report; with `pauseMs` also a 4xx, and an error without a status
   */
  readonly refused?: boolean | undefined;
}

/** Reads what is not known here, such as a service's own field. Undefined leaves the answer to what is known. */
export type AnswerHook = (answer: AnswerFacts) => HookReport | undefined;

/** Options of {@link createAnswerReader}. */
export interface AnswerReaderOptions {
  /**
   * Is asked first about each answer, and about each error without one. An error of the hook is the call's error.
   * @default none
   */
  readonly readAnswer?: AnswerHook | undefined;
  /**
   * The clock (`wallTimeMs`) that dates are compared with in answers without `Date`.
   * @default the real one
   */
  readonly runtime?: Runtime | undefined;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof AnswerReaderOptions>(["readAnswer", "runtime"]);
const HOOK_REPORT: ReadonlySet<string> = new Set<keyof HookReport>(["pauseMs", "refused"]);

/** Reads what answers report. Made by {@link createAnswerReader}. */
export class AnswerReader {
  readonly #hook: AnswerHook | undefined;
  readonly #runtime: Runtime;

  /** Use {@link createAnswerReader}. */
  constructor({ readAnswer: hook, runtime = systemRuntime }: AnswerReaderOptions) {
    this.#hook = hook;
    this.#runtime = runtime;
  }

  /**
   * Reads the head of an answer.
   * @param answer its status and headers, and the response or error that has them
   * @param options how the call ended: its value or its error
   * @returns what the server reports with it
   * @throws DtError `DT_INVALID_OPTION` when the hook gives something else than it should, and what the hook throws
   * @example reader.read({ status: 429, headers: response.headers, source: response })
   */
  read({ status, headers, source }: Answer): AnswerReport {
    const report = reportOf(status, headers, this.#runtime.wallTimeMs?.() ?? Number.NaN);
    if (this.#hook === undefined) return report;
    const hooked = this.#hook({ status, header: (name) => fieldOf(headers, name), source });
    return hooked === undefined ? report : amended(report, status, checkHookReport(hooked));
  }

  /**
   * Reads an error that carries no answer, by the hook.
   * @param error what a call threw
   * @returns what the hook reports of it; undefined where it reports nothing
   * @example reader.readError(error)?.pauseMs
   */
  readError(error: unknown): AnswerReport | undefined {
    if (this.#hook === undefined) return undefined;
    const report = this.read({ status: undefined, headers: undefined, source: error });
    return report.outcome === undefined ? undefined : report;
  }
}

/**
 * Creates a reader of answers, for a classifier (`classifierOf(reader)`) or by itself.
 * @param options a hook, and a clock
 * @throws DtError `DT_INVALID_OPTION`
 * @example createAnswerReader({ readAnswer: ({ header }) => ({ pauseMs: Number(header("x-wait-ms") ?? 0) }) })
 */
export function createAnswerReader(options: AnswerReaderOptions = {}): AnswerReader {
  checkKeys("options", options, OPTIONS);
  if (options.readAnswer !== undefined && typeof options.readAnswer !== "function")
    throw invalidOption(
      "readAnswer",
      options.readAnswer,
      "give a function of an answer, such as () => ({ pauseMs: 1000 })",
    );
  if (options.runtime !== undefined) checkRuntime(options.runtime);
  return new AnswerReader(options);
}

/**
 * What an answer means. A refusal whose wait is over already has no time.
 * @param report what was read from the answer
 * @example classifier(({ value }) => verdictOf(readAnswer(value.status, value.headers)))
 */
export function verdictOf(report: AnswerReport): Verdict {
  const { outcome = "success", refused, pauseMs, by, queueWaitMs } = report;
  const retryAfterMs = refused && by === "ratelimit" && pauseMs === 0 ? undefined : pauseMs;
  return {
    outcome,
    report: queueWaitMs === undefined ? undefined : { queueWaitMs },
    retryAfterMs,
    refused: refused || undefined,
  };
}

function amended(report: AnswerReport, status: number | undefined, { pauseMs, refused }: HookReport): AnswerReport {
  const pauses = pauseMs !== undefined;
  const refuses = refused ?? (report.refused || (pauses && (status === undefined || (status >= 400 && status < 500))));
  const other = report.refused ? (status !== undefined && status < 500 ? "ignored" : "failure") : report.outcome;
  return {
    ...report,
    outcome: refuses ? "overload" : other,
    refused: refuses,
    ...(pauses && { pauseMs, by: "readAnswer" as const }),
  };
}

function checkHookReport(report: HookReport): HookReport {
  checkKeys("readAnswer", report, HOOK_REPORT);
  const { pauseMs, refused } = report;
  if (refused !== undefined && typeof refused !== "boolean")
    throw invalidOption("readAnswer.refused", refused, "give true or false, or leave it out");
  return { refused, pauseMs: pauseMs === undefined ? undefined : checkDuration("readAnswer.pauseMs", pauseMs, 0) };
}

/** Reads answers by the real clock, without a hook. */
export const usualReader: AnswerReader = new AnswerReader({});

/**
 * Reads what a server reports with one answer.
 * @param status the HTTP status
 * @param headers in any form that clients have them in
 * @returns the outcome, a pause, what is left of limits, and more
 * @example readAnswer(response.status, response.headers).pauseMs
 */
export function readAnswer(status: number, headers: unknown): AnswerReport {
  return usualReader.read({ status, headers, source: undefined });
}

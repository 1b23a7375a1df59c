import { type HistoryEntry, printHistory } from "./history.ts";
import { RULES, type Rule } from "./rules.ts";

/** What a case throws when the store breaks a rule. */
export class ConformanceFailure extends Error {
  readonly rule: Rule;
  /** What happened, without the rule's text and the history. */
  readonly summary: string;
  readonly history: readonly HistoryEntry[];

  constructor(
    rule: Rule,
    summary: string,
    history: readonly HistoryEntry[],
    details: { readonly cause?: unknown } = {},
  ) {
    super(
      `breaks ${rule} (${RULES[rule]})\n\n${indent(summary)}\n\n  History (ms since the case began; calls overlap where their times do):\n${indent(printHistory(history), 4)}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = "ConformanceFailure";
    this.rule = rule;
    this.summary = summary;
    this.history = history;
  }
}

function indent(text: string, width = 2): string {
  return text.replaceAll(/^/gm, " ".repeat(width));
}

/** What a case throws that finds out only when it runs that it cannot: the store lacks an optional part. */
export class SkippedCase extends Error {
  readonly why: string;

  constructor(why: string) {
    super(`skipped: ${why}`);
    this.name = "SkippedCase";
    this.why = why;
  }
}

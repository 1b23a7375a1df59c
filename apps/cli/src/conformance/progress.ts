import { clearLine, cursorTo } from "node:readline";
import type { CaseResult } from "@dt/conformance";
import { canRedraw, shown } from "../terminal.ts";

const WORDS = { passed: "passed ", failed: "FAILED ", skipped: "skipped" } as const;

/** Shows each case as it ends: a line for each, or on a terminal one line that changes, below the failures. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #total: number;
  readonly #ended = { passed: 0, failed: 0, skipped: 0 };

  constructor(title: string, total: number, stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#total = total;
    stream.write(shown(`${title}\n`));
  }

  show(result: CaseResult): void {
    this.#ended[result.outcome] += 1;
    const line = shown(`${WORDS[result.outcome]} ${result.rule.padEnd(3)} ${result.case}${detail(result)}`);
    if (!canRedraw(this.#stream)) {
      this.#stream.write(`${line}\n`);
      return;
    }
    this.#clear();
    if (result.outcome === "failed") this.#stream.write(`${line}\n`);
    const { passed, failed, skipped } = this.#ended;
    const counts = `${passed + failed + skipped}/${this.#total}  ${passed} passed, ${failed} failed, ${skipped} skipped`;
    const all = shown(`${counts}  ${result.rule} ${result.case}`);
    this.#stream.write(all.slice(0, (this.#stream.columns || 80) - 1));
  }

  /** Takes the changing line away. */
  end(): void {
    if (canRedraw(this.#stream)) this.#clear();
  }

  #clear(): void {
    clearLine(this.#stream, 0);
    cursorTo(this.#stream, 0);
  }
}

function detail({ outcome, ms, why, failure }: CaseResult): string {
  if (outcome === "skipped") return ` (${why})`;
  if (outcome === "failed") return ` (breaks ${failure?.rule})`;
  return ` (${Math.round(ms)} ms)`;
}

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { MemberView } from "../../src/index.ts";
import { type MemberRow, register, sync } from "../../src/ledger/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { registration } from "./support/group.ts";

const page = readFileSync(new URL("../../../../docs/protocol.md", import.meta.url), "utf8");

/** The rows of the example, without their ends. */
function steps(): string[][] {
  const [, table = ""] = /^\| step \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const rows = table.trim().split("\n");
  return rows.map((row) => row.split("|").slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

const NOW_MS = 1_000_250;
const LIMIT = { max: 10, intervalMs: 1_000 };

/** The ledger of the example, at 250 ms into epoch 1,000. No clock is off. */
class Example {
  readonly #table = new MemoryTable();
  readonly #views = new Map<string, MemberView>();
  #seq = 0;

  /** Does a step of the page ("a reports that it holds 5, used 7"), and gives the answer. */
  step(text: string): MemberView {
    const [, name = "", does = "", held = "", used = "0"] =
      /^(\w) (joins|reports)(?: that it holds (\d+))?(?:, used (\d+))?$/.exec(text) ?? [];
    const view = does === "joins" ? this.#join(name) : this.#report(name, held, Number(used));
    this.#views.set(name, view as MemberView);
    return view as MemberView;
  }

  #join(name: string) {
    return register(this.#table, registration(name, { ...LIMIT, seq: ++this.#seq }), NOW_MS, 0);
  }

  #report(name: string, held: string, used: number) {
    const { generation, members } = this.#views.get(name) as MemberView;
    const row = this.#table.member(name) as MemberRow;
    const report = { seq: ++this.#seq, generation, members, held: held === "" ? row.held : Number(held) };
    const use = { epoch: 1_000, used };
    return sync(this.#table, { id: name, incarnation: name }, { ...report, max: LIMIT.max, level: null, use }, NOW_MS);
  }

  get spent(): number | undefined {
    return this.#table.group()?.spent;
  }

  get onRecord(): string {
    return ["a", "b", "c"].map((name) => this.#table.member(name)?.held ?? "-").join(", ");
  }
}

it("the example of the protocol's page is what the ledger makes of it", () => {
  const example = new Example();
  const rows = steps();
  const seen = rows.map(([text = ""]) => {
    const { entitled } = example.step(text);
    return [text, String(entitled), example.onRecord, String(example.spent)];
  });
  expect(rows.length).toBeGreaterThan(10);
  expect(seen).toEqual(rows);
});

it("b may use 3 of its tokens in the epoch that runs, and 5 from the next one on", () => {
  const example = new Example();
  const upTo = steps().findIndex(([text]) => text === "b reports");
  const answers = steps()
    .slice(0, upTo + 1)
    .map(([text = ""]) => example.step(text));
  expect(answers.at(-1)).toMatchObject({ early: 3, entitled: 5, fromEpoch: 1_001 });
  expect(page).toContain("It may use 3 of them at once, in epoch 1,000, and all 5 from epoch 1,001 on.");
});

it("the members agree with the answers of the last two rows", () => {
  const example = new Example();
  const answers = steps().map(([text = ""]) => example.step(text));
  expect(answers.slice(-3).map(({ status }) => status)).toEqual(["disagree", "agree", "agree"]);
});

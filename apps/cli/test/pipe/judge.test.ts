import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Judged, judge } from "../pipe-proof/judge.ts";
import { faultsOf, type ProofResult } from "../pipe-proof/run.ts";
import { SMALL } from "../pipe-proof/settings.ts";
import { scratchFolder } from "../support/scratch.ts";

const recordOf = (id: number) => ({ id, text: `record ${id}` });
const ok = (id: number): string => JSON.stringify({ input: recordOf(id), output: null });
const failed = (id: number): string => JSON.stringify({ input: recordOf(id), error: `code: ${id}` });

/** What the judge says of two parts with these lines. */
async function judged(...parts: { ok?: string[]; later?: string[]; err?: string[] }[]): Promise<Judged> {
  const folder = scratchFolder();
  const outputs = parts.map(({ ok: success = [], later = [], err = [] }, part) => {
    const files = { success: `ok.${part}`, throttled: `later.${part}`, errors: `err.${part}` };
    const write = (file: string, lines: string[]): string => {
      writeFileSync(join(folder, file), lines.map((line) => `${line}\n`).join(""));
      return join(folder, file);
    };
    return {
      success: write(files.success, success),
      throttled: write(files.throttled, later),
      errors: write(files.errors, err),
    };
  });
  return judge(4, outputs, recordOf);
}

describe("the judge of the proof", () => {
  test("finds nothing where each record is in one file of its part", async () => {
    const found = await judged({ ok: [ok(0)], err: [failed(2)] }, { later: [failed(1)], ok: [ok(3)] });
    expect(found).toMatchObject({ lost: 0, repeated: 0, wrong: 0, lines: { success: 2, throttled: 1, errors: 1 } });
    expect(found.errors).toEqual({ "code: n": 2 });
  });

  test("sees a record that is nowhere, one that is there twice, and in two files", async () => {
    const found = await judged({ ok: [ok(0), ok(0)] }, { later: [failed(1)], ok: [ok(1), ok(3)] });
    expect(found).toMatchObject({ lost: 1, repeated: 2, repeatedElsewhere: 1, repeatedOfPart: [1, 1] });
  });

  test("sees a line that was torn, a record that was changed, and one of another part", async () => {
    const changed = JSON.stringify({ input: { id: 2, text: "record two" }, output: null });
    const found = await judged({ ok: [ok(0).slice(0, 10), changed, ok(1)] }, { ok: [ok(1), ok(3)] });
    expect(found).toMatchObject({ wrong: 3, lost: 2 });
  });
});

test("the proof fails when a record is lost, when one is repeated without a crash, and when the callee knows better", () => {
  const counts = { received: 0, accepted: 0, refused: 0, shed: 0, failed: 0, hung: 0, cut: 0, gone: 0 };
  const right: ProofResult = {
    settings: SMALL,
    judged: {
      records: 4,
      lines: { success: 4, throttled: 0, errors: 0 },
      lost: 0,
      repeated: 0,
      repeatedElsewhere: 0,
      wrong: 0,
      errors: {},
      succeeded: 4,
      repeatedOfPart: [0, 900, 0, 0],
    },
    callee: { ...counts, longestQueue: 0, distinct: 4, repeated: 0 },
    busiestSecond: 800,
    killed: { part: 2, atSeconds: 1 },
    exitCodes: [0, 0, 0, 0],
    seconds: 2,
    memory: [],
  };
  expect(faultsOf(right)).toEqual([]);
  const faultsWith = (judgedAs: Partial<ProofResult["judged"]>): string[] =>
    faultsOf({ ...right, judged: { ...right.judged, ...judgedAs } });
  expect(faultsWith({ lost: 1 })).toEqual(["1 records are in no output"]);
  expect(faultsWith({ repeatedOfPart: [1, 0, 0, 0] })).toEqual(["part 1 wrote 1 records twice"]);
  expect(faultsWith({ repeatedOfPart: [0, 1_017, 0, 0] })).toEqual(["part 2 wrote 1017 records twice"]);
  expect(faultsWith({ succeeded: 5 })).toEqual(["5 records have a success, the callee accepted 4"]);
  expect(faultsOf({ ...right, busiestSecond: 900 })).toEqual(["900 calls came in one second, 800 are allowed"]);
});

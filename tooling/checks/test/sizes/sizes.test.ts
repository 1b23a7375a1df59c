import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { measureSizes, type Sizes } from "../../src/sizes/measure.ts";
import { sizesPage } from "../../src/sizes/page.ts";
import { exceeded, PAGE, RECORD } from "../../src/sizes/record.ts";
import { publishedPackages } from "../smoke/published.ts";

const folder = mkdtempSync(join(tmpdir(), "dt-sizes-test-"));
const recorded = JSON.parse(readFileSync(RECORD, "utf8")) as Sizes;
let measured: Sizes;

beforeAll(async () => {
  measured = await measureSizes(await publishedPackages(folder));
});
afterAll(() => rmSync(folder, { recursive: true }));

it("no size is over its record: `npm run -s sizes` writes the new one, if it is meant", () => {
  expect(exceeded(measured, recorded)).toEqual([]);
});

it("the record has what is measured, and nothing that went", () => {
  expect(Object.keys(recorded.packed)).toEqual(Object.keys(measured.packed));
  expect(Object.keys(recorded.bundled)).toEqual(Object.keys(measured.bundled));
});

it("the page shows the record", () => {
  expect(readFileSync(PAGE, "utf8")).toBe(sizesPage(recorded));
});

it("finds a package that grew, a bundle that grew, and a package that is new", () => {
  const { "@dt/core": core = 0, ...others } = recorded.packed;
  const grown = { bundled: recorded.bundled, packed: { ...others, "@dt/core": Math.ceil(core * 1.06) } };
  expect(exceeded(grown, recorded)).toEqual([
    expect.stringMatching(/^packed @dt\/core: \d+ bytes, on record are \d+$/),
  ]);
  expect(exceeded(recorded, { ...recorded, packed: others })).toEqual([
    expect.stringMatching(/^packed @dt\/core: \d+ bytes, which are not on record$/),
  ]);
  const bundled = Object.fromEntries(Object.entries(recorded.bundled).map(([name, bytes]) => [name, bytes * 2]));
  expect(exceeded({ ...recorded, bundled }, recorded)).toHaveLength(Object.keys(bundled).length);
});

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { describe, expect, it } from "vitest";
import { missingIn } from "../../src/check/doc-comments/missing.ts";
import { entriesOf, Module, publicNamesOf } from "../../src/check/doc-comments/public-api.ts";

/** Entries for our own packages: they may change in any version. */
const OURS: ReadonlySet<string> = new Set(["./internal", "./ledger", "./testing"]);

/** @dt/cas is for the adapters of this repository. */
const OWN_PACKAGES: readonly string[] = ["cas"];

/** What the doc comments of one declaration lack. */
function lacksOf(text: string): readonly string[] {
  const module = new Module("example.ts", text);
  return module.body.flatMap((statement) => {
    const node = statement.declaration ?? statement;
    const { start } = statement;
    const declarations = [{ node, doc: module.docBefore(start), module, start }];
    return missingIn({ name: node.id.name, file: module.file, declarations }).map(
      ({ name, lack }) => `${name} ${lack}`,
    );
  });
}

describe("a doc comment that an editor shows", () => {
  it("of a function has a first line, every parameter and an example", () => {
    expect(lacksOf("export function stop(now: number, { how }: Options = {}, ...rest: number[]): void {}")).toEqual([
      "stop first line",
      "stop @param now",
      "stop @param options",
      "stop @param rest",
      "stop @example",
    ]);
    expect(
      lacksOf(
        "/**\n * Stops.\n * @param now the time\n * @example stop(1)\n */\nexport function stop(now: number): void {}",
      ),
    ).toEqual([]);
  });

  it("of a class has a line for everything that is public, unless it is inherited", () => {
    const members =
      "x = 1; get y() { return 1; } stop(now: number): void {} #hidden(): void {} constructor(a: number) {}";
    expect(lacksOf(`/** A. */ export class A { ${members} }`)).toEqual([
      "A.x first line",
      "A.y first line",
      "A.stop first line",
      "A.stop @param now",
    ]);
    expect(lacksOf(`/** A. */ export class A implements B { ${members} }`)).toEqual([]);
  });

  it("of an option has its default, and of a call signature a line", () => {
    expect(
      lacksOf(
        "/** O. */ export interface StopOptions { /** A. */ a?: number; /** B.\n @default 1 */ b?: number; /** C. */ c: number }",
      ),
    ).toEqual(["StopOptions.a @default"]);
    expect(lacksOf("/** W. */ export interface Wrap { (fn: number): void }")).toEqual(["Wrap() first line"]);
  });
});

describe("the public names of", () => {
  const packages = readdirSync(join(repositoryRoot, "packages")).filter((name) => !OWN_PACKAGES.includes(name));
  it.each(packages)("@dt/%s are documented", (name) => {
    const names = entriesOf(`packages/${name}`, OURS).flatMap(publicNamesOf);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter(({ declarations }) => declarations.length === 0).map((missing) => missing.name)).toEqual([]);
    expect(names.flatMap(missingIn).map((one) => `${one.module.file}: ${one.name} lacks ${one.lack}`)).toEqual([]);
  });
});

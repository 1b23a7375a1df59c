import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { expect, test } from "vitest";

const RELATIVE = /\bfrom "(\.[^"]+\.tsx?)"|\bimport\("(\.[^"]+\.tsx?)"\)/g;

type Imports = ReadonlyMap<string, readonly string[]>;

/** The first circle of files that import each other, types included; undefined where there is none. */
function circleIn(imports: Imports): readonly string[] | undefined {
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const imported of imports.get(file) ?? []) {
      const circle = walk(imported, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  return [...imports.keys()].map((file) => walk(file, [])).find((circle) => circle !== undefined);
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(repositoryRoot, file), "utf8");
  return [...text.matchAll(RELATIVE)].map(([, from, called]) => normalize(join(file, "..", from ?? called ?? "")));
}

test("a circle is found, wherever it is entered", () => {
  const imports = { main: ["a"], a: ["b", "c"], b: ["d"], c: ["d"], d: ["b"] };
  expect(circleIn(new Map(Object.entries(imports)))).toEqual(["b", "d", "b"]);
  expect(circleIn(new Map(Object.entries({ ...imports, d: [] })))).toBeUndefined();
});

test("no files of a package, of an application or of the benchmarks import each other in a circle", () => {
  const listed = execFileSync(
    "git",
    ["ls-files", "--", "packages/*/src/*.ts", "apps/*/src/*.ts", "apps/*/src/*.tsx", "bench/src/*.ts"],
    {
      cwd: repositoryRoot,
      encoding: "utf8",
    },
  );
  const files = listed.split("\n").filter((file) => file !== "");
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  expect(imports.get("packages/core/src/index.ts")).toContain("packages/core/src/errors/dt-error.ts");
  expect(circleIn(imports)).toBeUndefined();
});

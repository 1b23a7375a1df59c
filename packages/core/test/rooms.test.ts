import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../docs/architecture.md", import.meta.url));

/** The rooms in the order of the list in "Inside core", from the top. */
function roomsOnThePage(): string[] {
  const [, section = ""] = readFileSync(PAGE, "utf8").split("## Inside core\n");
  const [, list = ""] = section.split("```");
  return [...list.matchAll(/^([\w-]+)\//gm)].map(([, room]) => room as string);
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(SRC, path), "utf8") }));

/** Every file of core that a file names: in imports, imports of types, exports and `import()`. */
function importsOf(path: string, text: string): string[] {
  const named = text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]+)"/g);
  return [...named].map(([, to]) =>
    relative(SRC, join(SRC, dirname(path), to as string))
      .split(sep)
      .join("/"),
  );
}

/** What packages import of core, from whichever room it is. */
const ENTRIES: ReadonlySet<string> = new Set(["index.ts", "internal/index.ts"]);

/** The folder that a file is in; an entry is in none, and imports from all. */
const roomOf = (path: string): string | undefined => (ENTRIES.has(path) ? undefined : path.split("/")[0]);

it("every room of core is on the page, and every room on the page is there", () => {
  const there = new Set(files.flatMap(({ path }) => roomOf(path) ?? []));
  expect(roomsOnThePage().sort()).toEqual([...there].sort());
});

it("no file imports from a room below its own", () => {
  const order = roomsOnThePage();
  const climbing = files.flatMap(({ path, text }) => {
    const own = roomOf(path);
    if (own === undefined) return [];
    return importsOf(path, text)
      .filter((to) => roomOf(to) === undefined || order.indexOf(roomOf(to) as string) > order.indexOf(own))
      .map((to) => `${path} imports ${to}`);
  });
  expect(climbing).toEqual([]);
});

it("finds the imports of a file, of whichever kind", () => {
  const text =
    'import { a } from "./a.ts";\nexport type { B } from "../b/b.ts";\nimport {\n  c,\n} from "../c/c.ts";\nawait import("./d.ts");\n';
  expect(importsOf("room/x.ts", text)).toEqual(["room/a.ts", "b/b.ts", "c/c.ts", "room/d.ts"]);
});

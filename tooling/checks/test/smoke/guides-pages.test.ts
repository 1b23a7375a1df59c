import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loader } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const files = [
  ...["start", "choose", "headroom", "keyed"].map((name) => `docs/${name}.md`),
  ...globSync("docs/guides/*.md", { cwd: root }),
];

/** Lines of a block that only shows an option, and is no program. */
const MOST_OF_A_FRAGMENT = 4;

interface Block {
  readonly file: string;
  readonly comment: string | undefined;
  readonly language: string;
  readonly code: string;
  /** What the page shows below it. */
  readonly output: string | undefined;
}

const blocks: Block[] = files.flatMap((file) => {
  const page = readFileSync(join(root, file), "utf8");
  const found = page.matchAll(
    /(?:<!-- (.+?) -->\n)?^```(js|ts|yaml)\n([\s\S]*?)^```\n(?=(?:\n```text\n([\s\S]*?)^```)?)/gm,
  );
  return [...found].map(([, comment, language = "", code = "", output]) => ({ file, comment, language, code, output }));
});
const shown = blocks.filter(({ comment }) => comment?.startsWith("example: "));
const programs = blocks.filter((block) => !shown.includes(block) && block.output !== undefined);

/** `worker` is read off its page by a test of the package `sqlite`. */
function fileOf({ comment = "" }: Block): string | undefined {
  const path = comment.replace("example: ", "");
  return path === "worker"
    ? undefined
    : [path, join("tooling/checks/scenarios", path)].find((it) => existsSync(join(root, it)));
}

describe("the guides", () => {
  it("have programs that run, and fragments of a few lines", () => {
    expect(programs.length).toBeGreaterThanOrEqual(7);
    const others = blocks.filter((block) => !shown.includes(block) && !programs.includes(block));
    const code = others.filter(({ language }) => language !== "yaml");
    expect(code.filter(({ code }) => code.trimEnd().split("\n").length > MOST_OF_A_FRAGMENT)).toEqual([]);
  });

  it.each(shown.filter(({ comment }) => comment !== "example: worker"))("$file: $comment, to the letter", (block) => {
    expect(readFileSync(join(root, fileOf(block) ?? ""), "utf8")).toBe(block.code);
  });

  it.each(programs)("$file: a program prints what the page shows", { timeout: 120_000 }, ({ code, output }) => {
    const folder = mkdtempSync(join(tmpdir(), "dt-guide-"));
    try {
      const script = join(folder, "guide.mjs");
      writeFileSync(script, code);
      const run = spawnSync(process.execPath, ["--no-warnings", "--import", loader, script], {
        cwd: folder,
        encoding: "utf8",
        timeout: 110_000,
      });
      expect(run.stderr).toBe("");
      expect(run.stdout).toBe(output);
      expect(run.status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

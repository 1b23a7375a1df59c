import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const folder = join(import.meta.dirname, "../..");

it("the generated code is what signal.proto compiles to: `pnpm --filter @dt/signal generate` writes it anew", async () => {
  const { scripts } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const [program, ...args] = (scripts.generate as string).split(" ");
  const written = args.at(-1) as string;
  const place = await mkdtemp(join(tmpdir(), "dt-signal-"));
  try {
    const file = join(place, "messages.js");
    await promisify(execFile)(join(folder, "node_modules/.bin", program as string), [...args.slice(0, -1), file], {
      cwd: folder,
    });
    expect(await readFile(join(folder, written), "utf8")).toBe(await readFile(file, "utf8"));
  } finally {
    await rm(place, { recursive: true });
  }
});

import { SilenceLog } from "@dt/cas";
import { describe, expect, it } from "vitest";

const QUIET_MS = 250;

describe("a silence log", () => {
  it("counts the time between two looks at the same mark as silence", () => {
    const log = new SilenceLog();
    log.look(new Map([["a", "1"]]), 1_000, QUIET_MS);
    expect(log.silentMs("a")).toBe(0);
    log.look(new Map([["a", "1"]]), 1_100, QUIET_MS);
    log.look(new Map([["a", "1"]]), 1_300, QUIET_MS);
    expect(log.silentMs("a")).toBe(300);
  });

  it("begins anew when the mark changes", () => {
    const log = new SilenceLog();
    for (const [mark, atMs] of [
      ["1", 0],
      ["1", 200],
      ["2", 300],
      ["2", 400],
    ] as const)
      log.look(new Map([["a", mark]]), atMs, QUIET_MS);
    expect(log.silentMs("a")).toBe(100);
  });

  it("counts a stretch without a look as the quiet limit at most: the observer may have been asleep itself", () => {
    const log = new SilenceLog();
    log.look(new Map([["a", "1"]]), 0, QUIET_MS);
    log.look(new Map([["a", "1"]]), 3_600_000, QUIET_MS);
    expect(log.silentMs("a")).toBe(QUIET_MS);
  });

  it("forgets who is not watched any more, and knows nothing of strangers", () => {
    const log = new SilenceLog();
    log.look(new Map([["a", "1"]]), 0, QUIET_MS);
    log.look(new Map(), 100, QUIET_MS);
    log.look(new Map([["a", "1"]]), 200, QUIET_MS);
    expect(log.silentMs("a")).toBe(0);
    expect(log.silentMs("b")).toBe(0);
  });
});

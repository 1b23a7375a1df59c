import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Pace } from "../../src/pipe/pace.ts";
import { showProgress } from "../../src/pipe/progress.ts";
import { lineOf, terminalLine, timeOf } from "../../src/pipe/progress-line.ts";
import { exitCodeOf, type Summary, textOf } from "../../src/pipe/summary.ts";

const counts = { success: 4_100, throttled: 100, errors: 10, dropped: 0 };

test("the rate is that of the last ten seconds, and what is left follows from the bytes", () => {
  const pace = new Pace();
  expect(pace.speed(0, 0, 0, 10_000)).toEqual({ recordsPerSecond: 0, secondsLeft: undefined });
  for (let second = 1; second <= 10; second++) pace.speed(1_000 * second, 10 * second, 100 * second, 10_000);
  expect(pace.speed(11_000, 110, 1_100, 10_000)).toEqual({ recordsPerSecond: 10, secondsLeft: 89 });
  for (let second = 12; second <= 22; second++) pace.speed(1_000 * second, 110, 1_100, 10_000);
  expect(pace.speed(23_000, 110, 1_100, 10_000)).toEqual({ recordsPerSecond: 0, secondsLeft: undefined });
});

test("a line of progress says what is done, how fast, what came of it and what is left", () => {
  const view = { counts, bytes: 421, totalBytes: 1_000, pausedForMs: 0 };
  expect(lineOf(view, { recordsPerSecond: 59.84, secondsLeft: 96.2 })).toBe(
    "42.1 %  4,210 records  59.8/s  success 4,100  throttled 100  errors 10  1m 37s left",
  );
  expect(lineOf({ ...view, pausedForMs: 26_500 }, { recordsPerSecond: 0, secondsLeft: 5 })).toMatch(
    / {2}asked to pause for 27s$/,
  );
  expect(lineOf({ ...view, totalBytes: undefined }, { recordsPerSecond: 12_345.6, secondsLeft: undefined })).toBe(
    "4,210 records  12,346/s  success 4,100  throttled 100  errors 10",
  );
});

test.each([
  [0.2, "1s"],
  [59, "59s"],
  [61, "1m 01s"],
  [7_500, "2h 05m"],
])("%d seconds are %s", (seconds, text) => {
  expect(timeOf(seconds)).toBe(text);
});

test("on a terminal it is a bar on one line, no wider than the terminal, that is taken away at the end", async () => {
  let screen = "";
  const stream = {
    isTTY: true,
    columns: 40,
    write: (text: string) => (screen += text),
  } as unknown as NodeJS.WriteStream;
  const hide = showProgress(() => ({ counts, bytes: 500, totalBytes: 1_000, pausedForMs: 0 }), stream, 5);
  await expect.poll(() => screen).toContain("█");
  hide();
  const code = String.fromCharCode(27);
  const texts = screen
    .replaceAll(new RegExp(`${code}\\[\\d*[A-Z]`, "g"), "\n")
    .split("\n")
    .filter((text) => text !== "");
  expect(texts[0]).toBe("█████░░░░ 50.0 % ok 4.1K thr 100 err 10");
  expect(texts.every((text) => text.length < 40)).toBe(true);
  expect(screen.endsWith(`${code}[0J`)).toBe(true);
});

test("on a terminal that obeys nothing (TERM=dumb) it is lines", async () => {
  vi.stubEnv("TERM", "dumb");
  onTestFinished(() => void vi.unstubAllEnvs());
  let screen = "";
  const stream = { isTTY: true, columns: 80, write: (text: string) => (screen += text) };
  const view = { counts, bytes: 500, totalBytes: 1_000, pausedForMs: 0 };
  const hide = showProgress(() => view, stream as unknown as NodeJS.WriteStream, 5);
  await expect.poll(() => screen).toMatch(/^50\.0 % {2}4,210 records.*\n/);
  hide();
  expect(screen).not.toContain(String.fromCharCode(27));
});

describe("a terminal's line", () => {
  const view = { counts, bytes: 421, totalBytes: 1_000, pausedForMs: 0 };
  const speed = { recordsPerSecond: 59.84, secondsLeft: 96.2 };

  test.each([
    [
      120,
      "██████████░░░░░░░░░░░░░░ 42.1 %  4,210 records  59.8/s  success 4,100  throttled 100  errors 10  1m 37s left",
    ],
    [80, "████░░░░░░ 42.1 %  59.8/s  success 4,100  throttled 100  errors 10  1m 37s left"],
    [70, "███░░░░░ 42.1 %  success 4,100  throttled 100  errors 10  1m 37s left"],
    [60, "██░░ 42.1 %  ok 4.1K  throttled 100  errors 10  1m 37s left"],
    [40, "42.1 % ok 4.1K thr 100 err 10 1m 37s"],
    [10, "42.1 % ok"],
    [1, ""],
  ])("of %i columns has counts, errors and the time left for as long as there is room", (columns, line) => {
    const shown = terminalLine(view, speed, columns);
    expect(shown.length).toBeLessThan(columns);
    expect(shown).toBe(line);
  });

  test("of 80 columns has a bar, all counts and the time left, also with millions of each and hours to go", () => {
    const many = { success: 1_234_567, throttled: 1_234_567, errors: 123_456, dropped: 0 };
    const shown = terminalLine({ ...view, counts: many }, { recordsPerSecond: 12_345, secondsLeft: 45_000 }, 80);
    expect(shown).toMatch(/^█+░+ 42\.1 % {2}ok 1,234,567 {2}throttled 1,234,567 {2}errors 123,456 {2}12h 30m left$/);
    expect(shown.length).toBeLessThan(80);
  });

  test("never is wider than the terminal, whatever there is to say", () => {
    for (let columns = 1; columns <= 130; columns++)
      for (const size of [1, 1e4, 1e7, 1e12])
        for (const pausedForMs of [0, 50_000])
          for (const totalBytes of [undefined, 0, 1_000]) {
            const all = { success: size, throttled: size, errors: size, dropped: size };
            expect(
              terminalLine({ counts: all, bytes: 500, totalBytes, pausedForMs }, speed, columns).length,
            ).toBeLessThan(columns);
          }
  });

  test("is drawn anew where it began, also when the terminal became narrower and shows it in several rows", async () => {
    let screen = "";
    const stream = { isTTY: true, columns: 80, write: (text: string) => (screen += text) };
    const hide = showProgress(() => view, stream as unknown as NodeJS.WriteStream, 5);
    await expect.poll(() => screen).toContain("42.1 %");
    const esc = String.fromCharCode(27);
    expect(screen).not.toContain(`${esc}[1A`);
    [stream.columns, screen] = [30, ""];
    await expect.poll(() => screen).toContain("42.1 %");
    hide();
    expect(screen).toMatch(new RegExp(`^${esc}\\[[12]A${esc}\\[1G42\\.1 % ok 4\\.1K thr 100 err 10${esc}\\[0J`));
  });
});

test("exit codes tell a script what to do next", () => {
  const outputs = { success: "ok", throttled: "later", errors: "err" };
  const none = { success: 5, throttled: 0, errors: 0, dropped: 3 };
  const done = {
    input: "in",
    part: "1/1",
    end: "done",
    sent: 5,
    run: none,
    total: none,
    seconds: 1,
    recordsPerSecond: 8,
    outputs,
    checkpoint: "c",
  } satisfies Summary;
  expect(exitCodeOf(done, undefined)).toBe(0);
  // A signal that came when everything was done changes nothing.
  expect(exitCodeOf(done, 130)).toBe(0);
  expect(exitCodeOf({ ...done, total: counts }, undefined)).toBe(3);
  expect(exitCodeOf({ ...done, end: "stopped" }, 143)).toBe(143);
  expect(exitCodeOf({ ...done, end: "failed" }, undefined)).toBe(1);
  expect(exitCodeOf({ ...done, end: "failed", sent: 0 }, undefined)).toBe(2);
  const unsaved = textOf({ ...done, end: "stopped", checkpoint: undefined });
  expect(unsaved).toContain("8 records of standard input were done; no --checkpoint was given");
});

import { describe, expect, test } from "vitest";
import {
  announcedOf,
  initial,
  KEPT_MARKS,
  limiterIn,
  type Model,
  marksOf,
  withConnection,
  withFrame,
  withHello,
} from "../../../src/console/page/state.ts";
import { type Frame, type Hello, KEPT_FRAMES, type Mark, PROTOCOL } from "../../../src/console/protocol.ts";
import { FakeFleet, SCENARIOS } from "../fixtures/scenario.ts";

const NOW = 1_000_000;
const fleet = new FakeFleet(SCENARIOS.kill, 0);

function live(last = 10): Model {
  return withHello(initial(NOW), fleet.hello(last, true), NOW);
}

function mark(atMs: number): Mark {
  return { atMs, kind: "throttle", name: "payments", what: "join", text: `at ${atMs}` };
}

describe("a hello", () => {
  test("makes the page live, with all that is kept, the newest event first", () => {
    const hello: Hello = { ...fleet.hello(10, true), marks: [mark(1), mark(2)] };
    const model = withHello(initial(0), hello, NOW);
    expect(model).toMatchObject({ connection: "live", sinceMs: NOW, console: { writes: true, periodMs: 1_000 } });
    expect(model.frames).toHaveLength(11);
    expect(model.marks.map(({ atMs }) => atMs)).toEqual([2, 1]);
  });

  test("of a page that comes back takes the place of what was there", () => {
    const model = withHello(withConnection(live(10), "reconnecting", NOW), fleet.hello(20, false), NOW + 5);
    expect(model).toMatchObject({ connection: "live", sinceMs: NOW + 5, console: { writes: false } });
    expect(model.frames.map(({ atMs }) => atMs)).toEqual(fleet.hello(20, false).frames.map(({ atMs }) => atMs));
  });

  test("of another protocol shows nothing of it", () => {
    const hello = { ...fleet.hello(10, true), protocol: PROTOCOL + 1 } as unknown as Hello;
    expect(withHello(live(), hello, NOW)).toMatchObject({
      connection: "other-version",
      console: undefined,
      frames: [],
    });
  });
});

describe("a frame", () => {
  test("is the last one, and the first is dropped where there are too many", () => {
    let model = live();
    for (let i = 11; i < KEPT_FRAMES + 20; i++) model = withFrame(model, fleet.frame(i), NOW);
    expect(model.frames).toHaveLength(KEPT_FRAMES);
    expect(model.frames.at(-1)?.atMs).toBe((KEPT_FRAMES + 19) * 1_000);
    expect(model.frames[0]?.atMs).toBe(20_000);
  });

  test("that was received already changes nothing", () => {
    const model = live();
    expect(withFrame(model, fleet.frame(10), NOW)).toBe(model);
  });

  test("brings its events to the front, as many as are kept", () => {
    const model = live();
    const frame = (atMs: number, marks: Mark[]): Frame => ({ ...fleet.frame(11), atMs, marks });
    const one = withFrame(model, frame(20_000, [mark(1), mark(2)]), NOW);
    expect(one.marks.slice(0, 2).map(({ atMs }) => atMs)).toEqual([2, 1]);
    const many = Array.from({ length: KEPT_MARKS + 5 }, (_, i) => mark(i));
    expect(withFrame(one, frame(21_000, many), NOW).marks).toHaveLength(KEPT_MARKS);
  });

  test("ends a time without connection", () => {
    const lost = withConnection(live(), "reconnecting", NOW + 1, "too many pages");
    expect(withFrame(lost, fleet.frame(11), NOW + 2)).toMatchObject({
      connection: "live",
      sinceMs: NOW + 2,
      reason: undefined,
    });
  });
});

describe("a time in which the store was not read", () => {
  test("is a gap of the charts, not what held before it", () => {
    const model = withFrame(live(), { ...fleet.frame(11), atMs: 100_000 }, NOW);
    expect(model.frames.slice(-3).map(({ atMs, error }) => [atMs, error])).toEqual([
      [10_000, undefined],
      [11_000, "the store was not read"],
      [100_000, undefined],
    ]);
    const hello = fleet.hello(10, true);
    const late = {
      ...hello,
      frames: hello.frames.map((frame, i) => (i < 5 ? frame : { ...frame, atMs: frame.atMs + 60_000 })),
    };
    expect(withHello(initial(0), late, NOW).frames.map(({ error }) => error === undefined)).toEqual([
      ...[true, true, true, true, true, false],
      ...[true, true, true, true, true, true],
    ]);
  });

  test("that was long leaves nothing of before it", () => {
    const model = withFrame(live(), { ...fleet.frame(11), atMs: 86_400_000 }, NOW);
    expect(model.frames.map(({ atMs }) => atMs)).toEqual([86_400_000]);
  });
});

describe("a connection", () => {
  test("that is lost keeps what was received, and since when it is lost", () => {
    const lost = withConnection(live(), "reconnecting", NOW + 1);
    expect(lost).toMatchObject({ connection: "reconnecting", sinceMs: NOW + 1 });
    expect(lost.frames).toHaveLength(11);
    expect(withConnection(lost, "reconnecting", NOW + 9, "busy")).toMatchObject({ sinceMs: NOW + 1, reason: "busy" });
  });

  test("that never was is still being made", () => {
    expect(withConnection(initial(NOW), "reconnecting", NOW + 1)).toMatchObject({
      connection: "connecting",
      sinceMs: NOW,
    });
    expect(withConnection(initial(NOW), "refused", NOW + 1)).toMatchObject({ connection: "refused", sinceMs: NOW + 1 });
  });
});

test("a limiter is found by its kind and its name", () => {
  const frame = live().frames.at(-1);
  expect(limiterIn(frame, "semaphore", "gpu")?.name).toBe("gpu");
  expect(limiterIn(frame, "throttle", "gpu")).toBeUndefined();
  const marks = [mark(1), { ...mark(2), name: "other" }];
  expect(marksOf(marks, "throttle", "payments")).toEqual([mark(1)]);
});

test("a verdict is read aloud again where more of it changes than its numbers", () => {
  expect(announcedOf("member a silent for 4.5 s")).toBe(announcedOf("member a silent for 12 s"));
  expect(announcedOf("1 member idle")).not.toBe(announcedOf("1 member silent"));
});

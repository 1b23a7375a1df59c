import { expect, test } from "vitest";
import { hashOf, routeOf } from "../../../src/console/page/route.ts";

test.each(["payments", "a/b", "../x", "100%", "#/events", "ü 東京", "<b>", "a?b&c"])(
  "the name %j has an address",
  (name) => {
    expect(routeOf(hashOf({ kind: "throttle", name }))).toEqual({ view: "limiter", kind: "throttle", name });
  },
);

test.each(["", "#", "#/", "#/nothing/x", "#/throttle", "#/throttle/", "#/throttle/%E0%A4%A"])(
  "%j is the fleet",
  (hash) => expect(routeOf(hash)).toEqual({ view: "fleet" }),
);

test("the events have an address", () => expect(routeOf("#/events")).toEqual({ view: "events" }));

test("a name with half a character has an address", () => {
  expect(() => hashOf({ kind: "pacer", name: "\uD83D" })).not.toThrow();
});

import { expect, test } from "vitest";
import { algorithmByName, algorithmNames, createConcurrencyLimit } from "../../src/index.ts";

test.each(algorithmNames)(
  "%s is known by its name, and begins at the initial limit or at its first measurement",
  (name) => {
    const algorithm = algorithmByName(name, { initial: 7, min: 2, max: 9 });
    expect(algorithm.name).toBe(name);
    expect(algorithm.start().limit).toBe(name === "envoy-gradient" ? 3 : 7);
    expect(createConcurrencyLimit({ algorithm: name }).limit).toBe(name === "envoy-gradient" ? 3 : 20);
  },
);

test("a limit without an algorithm uses the automatic one", () => {
  expect(createConcurrencyLimit().status().algorithm).toBe("automatic");
});

test("a misspelt name is refused, and the right one is named", () => {
  expect(() => createConcurrencyLimit({ algorithm: "vega" as "vegas" })).toThrow(
    'algorithm is "vega"; did you mean vegas? give one of automatic, queue-wait, aimd',
  );
});

test.each(algorithmNames)("%s refuses bounds that make no sense", (name) => {
  expect(() => algorithmByName(name, { min: 0 })).toThrow("min is 0; give a finite number >= 1");
  expect(() => algorithmByName(name, { max: Number.NaN })).toThrow("max is NaN");
  expect(() => algorithmByName(name, { max: Number.POSITIVE_INFINITY })).toThrow("max is Infinity");
  expect(() => algorithmByName(name, { min: 10, max: 5 })).toThrow("max is 5; give at least min, which is 10");
  expect(() => algorithmByName(name, { initial: 30, max: 25 })).toThrow("initial is 30; give a number from 1 to 25");
  expect(() => algorithmByName(name, { minimum: 3 } as object)).toThrow("minimum: there is no such option");
});

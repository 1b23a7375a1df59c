import { describe, expect, it } from "vitest";

function doubled<This>(method: (this: This, n: number) => number, _context: ClassMethodDecoratorContext) {
  return function (this: This, n: number): number {
    return 2 * method.call(this, n);
  };
}

class Counter {
  @doubled
  plusOne(n: number): number {
    return n + 1;
  }
}

describe("the language of tests", () => {
  it("has ECMAScript decorators", () => {
    expect(new Counter().plusOne(1)).toBe(4);
  });

  it("has explicit resource management", async () => {
    const order: string[] = [];
    {
      await using _resource = { [Symbol.asyncDispose]: async () => void order.push("disposed") };
      order.push("used");
    }
    expect(order).toEqual(["used", "disposed"]);
  });
});

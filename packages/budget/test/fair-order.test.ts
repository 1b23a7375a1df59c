import { expect, it } from "vitest";
import { FairOrder } from "../src/fair-order.ts";

interface Item {
  readonly name: string;
  readonly priority: number;
  readonly key: string;
}

const item = (name: string, key: string, priority = 0): Item => ({ name, key, priority });

/** The order in which items are served. */
function served(order: FairOrder<Item>): string {
  const names: string[] = [];
  for (let [next] = order; next; [next] = order) {
    order.serve(next);
    names.push(next.name);
  }
  return names.join(" ");
}

function orderOf(...items: Item[]): FairOrder<Item> {
  const order = new FairOrder<Item>((one) => one);
  for (const one of items) order.push(one);
  return order;
}

it("keys of one priority take turns, and within a key the first that came is first", () => {
  const order = orderOf(item("a1", "a"), item("a2", "a"), item("a3", "a"), item("b1", "b"), item("c1", "c"));
  expect(served(order)).toBe("a1 b1 c1 a2 a3");
});

it("a higher priority comes first, whatever its key", () => {
  expect(served(orderOf(item("low", "a", -1), item("a", "a"), item("high", "a", 5)))).toBe("high a low");
});

it("what leaves is not served, and what is put back is next", () => {
  const [a1, a2, b1] = [item("a1", "a"), item("a2", "a"), item("b1", "b")];
  const order = orderOf(a1, a2, b1);
  expect(order.remove(a1)).toBe(true);
  expect(order.remove(a1)).toBe(false);
  order.serve(b1);
  order.putBack(b1);
  expect(served(order)).toBe("b1 a2");
});

it("shows the others of a priority after the first of each key, for an owner that skips some", () => {
  const order = orderOf(item("a1", "a"), item("a2", "a"), item("b1", "b"), item("low", "c", -2));
  expect([...order].map(({ name }) => name)).toEqual(["a1", "b1", "a2", "low"]);
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Dashboard, queriesOf } from "./fleet/dashboard.ts";

/** The variable of the dashboard that names the source of data, as Grafana writes it. */
const DATASOURCE = `$${"{datasource}"}`;

const text = readFileSync(new URL("../grafana/dashboard.json", import.meta.url), "utf8");
const { panels, templating } = JSON.parse(text) as Dashboard;
const graphs = panels.filter(({ type }) => type !== "row");

describe("the dashboard", () => {
  it("has panels of their own ids and places", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const one of panels) {
      expect(one.gridPos.x + one.gridPos.w, one.title).toBeLessThanOrEqual(24);
      for (const other of panels.filter(({ id }) => id > one.id))
        expect([one.title, overlap(one, other)]).toEqual([one.title, false]);
    }
  });

  it("asks the data source that its user chooses, and says what each panel shows", () => {
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ["datasource", "datasource"],
      ["name", "query"],
    ]);
    expect(graphs.length).toBeGreaterThan(15);
    for (const { title, description, datasource, targets = [] } of graphs) {
      expect(description, title).toMatch(/\.$/);
      expect(targets.length, title).toBeGreaterThan(0);
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
      expect([datasource, ...targets.map((target) => target.datasource)].map((source) => source?.uid)).toEqual(
        Array(targets.length + 1).fill(DATASOURCE),
      );
    }
  });

  it("has no variable but its own and those of Grafana", () => {
    expect(queriesOf(text).filter(({ expr }) => expr.includes("$"))).toEqual([]);
  });
});

type Placed = Dashboard["panels"][number];

function overlap({ gridPos: one }: Placed, { gridPos: other }: Placed): boolean {
  const beside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const below = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !beside && !below;
}

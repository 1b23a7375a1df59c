import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { cloudFormationTemplate, terraformResource } from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

function block(language: string): string | undefined {
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
}

it("the templates in the README are what the functions give", () => {
  expect(block("yaml")).toBe(cloudFormationTemplate("throttle"));
  expect(block("hcl")).toBe(terraformResource("throttle"));
});

it("the dollars in the README are what its formula gives", () => {
  const [writePrice, readPrice] = [...readme.matchAll(/[WR] = \$([\d.]+)/g)].map(([, price]) => Number(price));
  const perMonth = (n: number, s: number): number => {
    const [W, R] = [writePrice as number, readPrice as number];
    const heartbeats = ((2.63 * n) / s) * (W + R);
    const time = 2.63 * Math.min(1, n / s) * W;
    return heartbeats + time + (2.63 / s) * R * Math.ceil((n * 0.15) / 4);
  };
  const rows = [...readme.matchAll(/^\| ([\d,]+) \| ([\d.,]+) \| ([\d.,]+) \| ([\d.,]+) \|$/gm)];
  const number = (text = ""): number => Number(text.replaceAll(",", ""));
  expect(rows.length).toBe(3);
  for (const [, members, ...dollars] of rows)
    for (const [column, s] of [1, 5, 30].entries()) {
      expect(number(dollars[column])).toBe(Math.round(perMonth(number(members), s)));
    }
});

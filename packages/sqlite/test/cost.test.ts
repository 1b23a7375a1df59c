import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { registration } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();
const folders = ["sql", "permits/sql", "budgets/sql"].map((folder) => new URL(`../src/${folder}/`, import.meta.url));
const files = folders.flatMap((folder) => readdirSync(folder).map((name) => [name, new URL(name, folder)] as const));

/** Statements that run when a file is made or opened, and the one that reads a whole group for inspect. */
const RARE = ["schema.sql", "forget-groups.sql", "forget-levels.sql", "select-members.sql"];

describe("every statement of a sync, a permit or a budget looks up rows by an index, and reads no list", async () => {
  it.each(files.filter(([name]) => !RARE.includes(name)))("%s", async (_, file) => {
    const path = sandbox.path();
    await sandbox.store(path).register("g", registration("a"));
    const database = new DatabaseSync(path);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${readFileSync(file, "utf8")}`).all();
    database.close();
    const steps = plan.map(({ detail }) => String(detail));
    expect(steps.filter((step) => /\bSCAN (?!CONSTANT)/.test(step) || step.includes("TEMP B-TREE"))).toEqual([]);
  });
});

it.each(files)("%s says what goes in, what comes out and what it costs", (_, file) => {
  const header = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("--"))
    .join("\n");
  expect(header).toMatch(/Input: /);
  expect(header).toMatch(/Output: /);
  expect(header).toMatch(/Cost: /);
});

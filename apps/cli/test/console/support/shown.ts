import { until } from "@dt-tooling/backends";
import type { Chromium, Page, PageOptions } from "@dt-tooling/backends/chromium";
import { expect } from "vitest";

interface Visit extends PageOptions {
  /** Problems that the test is about. */
  readonly expected?: RegExp;
  /** What is done with the page before it is opened. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Opens a page, and fails where anything goes wrong in it: an error, a warning, a violation of its policy. */
export async function visit(
  chromium: Chromium,
  url: string,
  { expected, prepare, ...options }: Visit,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  await using window = await chromium.newPage(options);
  await prepare?.(window.page);
  await window.page.goto(url);
  await look(window.page);
  expect(window.problems.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
}

/** A row of a table: the text of its cells by the ids of the columns. */
export interface ShownRow {
  readonly name?: string;
  readonly state?: string;
  readonly member?: string;
  readonly held?: string;
  readonly key?: string;
}

/** The rows of a table that are in sight. */
export function rowsOf(page: Page, testId: string): Promise<ShownRow[]> {
  return page.evaluate(`[...document.querySelectorAll("[data-testid=${testId}] tbody tr:not(.spacer)")].map((row) =>
    Object.fromEntries([...row.children].map((cell) => [/c-(\\S+)/.exec(cell.className)?.[1], cell.textContent.trim()])))`);
}

/** The texts of all elements with this id, such as the items of a list. */
export function textsOf(page: Page, selector: string): Promise<string[]> {
  return page.locator(selector).allTextContents();
}

/** Waits until the page shows an event whose text has all these parts. */
export async function seeMark(page: Page, ...parts: string[]): Promise<void> {
  await until(`the page shows the event ${parts.join(" ... ")}`, 15_000, async () =>
    (await textsOf(page, "[data-testid=marks] li")).some((text) => parts.every((part) => text.includes(part))),
  );
}

/** Opens a limiter from the list of all. */
export async function openLimiter(page: Page, name: string): Promise<void> {
  await page.getByTestId("limiters").getByRole("link", { name, exact: true }).click();
  await until(`the page shows ${name}`, 5_000, async () =>
    (await page.getByTestId("limiter-name").textContent())?.includes(name),
  );
}

/** How much wider the content is than the window, in pixels. */
export function tooWide(page: Page): Promise<number> {
  return page.evaluate("document.documentElement.scrollWidth - innerWidth");
}

/**
 * Fetches a page again and again, far more often than the server can answer, without overloading it:
 *
 *     node fetch-with-a-limit.ts <url> [calls]
 *
 * How many calls are in flight at once is found out from how they end: by the wait that the server reports, if it does,
 * otherwise by latency.
 */
import { classifier, createConcurrencyLimit, createRetryBudget, httpOutcome, nodeOutcome } from "@dt/adaptive";

const [url = "http://127.0.0.1:8080", calls = "500"] = process.argv.slice(2);

const limit = createConcurrencyLimit({ name: url });
const budget = createRetryBudget({ retries: 2 });

// The default classifier knows more; two rules are all that fetch needs.
const classify = classifier(httpOutcome, nodeOutcome);

// Each attempt takes a slot of its own, so that a call that waits for its next attempt keeps nobody else from going
// out.
const attempt = limit.wrap(
  async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.text();
    return response;
  },
  { classify },
);

let ok = 0;
const statuses = new Map<number, number>();
await Promise.all(
  Array.from({ length: Number(calls) }, async () => {
    const response = await budget.run(attempt);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    if (response.ok) ok += 1;
  }),
);

console.log(JSON.stringify({ ok, statuses: Object.fromEntries(statuses), limit: limit.status().limit }));
await limit.stop();

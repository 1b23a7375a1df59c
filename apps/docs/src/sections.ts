/** A page of the site, made of one Markdown file of the repository. */
export interface Page {
  /** The file, relative to the repository's root. */
  readonly file: string;
  /** Its place on the site, without slashes at the ends: `guides/llm-quota`. The front page's is empty. */
  readonly slug: string;
  /** Its name in the sidebar: a few words. */
  readonly label: string;
}

export interface Section {
  readonly label: string;
  readonly pages: readonly Page[];
}

const page = (file: string, slug: string, label: string): Page => ({ file, slug, label });

/** All pages, in the order of the sidebar. A Markdown file of docs/ or of a package that is missing fails a test. */
export const SECTIONS: readonly Section[] = [
  {
    label: "Begin",
    pages: [
      page("README.md", "", "Overview"),
      page("docs/start.md", "start", "Start"),
      page("docs/choose.md", "choose", "Choose"),
      page("docs/questions.md", "questions", "Questions"),
      page("docs/how-it-works.md", "how-it-works", "How it works"),
      page("docs/glossary.md", "glossary", "Glossary"),
    ],
  },
  {
    label: "Guides",
    pages: [
      page("docs/guides/llm-quota.md", "guides/llm-quota", "LLM quotas"),
      page("docs/guides/tenants.md", "guides/tenants", "Tenants"),
      page("docs/guides/jobs.md", "guides/jobs", "Jobs and concurrency"),
      page("docs/guides/deploys.md", "guides/deploys", "Deploys"),
      page("docs/guides/autoscaling.md", "guides/autoscaling", "Autoscaling"),
      page("docs/guides/shutdown.md", "guides/shutdown", "Shutdown"),
      page("docs/headroom.md", "guides/headroom", "Headroom"),
      page("docs/guides/store-down.md", "guides/store-down", "When the store is down"),
      page("docs/guides/testing.md", "guides/testing", "Testing your code"),
    ],
  },
  {
    label: "Limiters",
    pages: [
      page("docs/limiters.md", "limiters", "All limiters"),
      page("docs/budgets.md", "budgets", "Budgets"),
      page("docs/keyed.md", "keyed", "Keyed limits"),
      page("docs/semaphores.md", "semaphores", "Semaphores"),
      page("docs/pacing.md", "pacing", "Pacing"),
      page("docs/adaptive.md", "adaptive", "Limits that adapt"),
      page("docs/http.md", "http", "HTTP"),
      page("docs/signal.md", "signal", "Throttle signals"),
      page("docs/pipeline.md", "pipeline", "Pipelines"),
      page("docs/stored-limits.md", "stored-limits", "Limits in the store"),
    ],
  },
  {
    label: "Operate",
    pages: [
      page("docs/operations.md", "operations", "Operations"),
      page("docs/console.md", "console", "Console"),
      page("docs/metrics.md", "metrics", "Metrics"),
      page("examples/metrics/README.md", "metrics/example", "Alerts and a dashboard"),
      page("docs/events.md", "events", "Events"),
      page("docs/errors.md", "errors", "Errors"),
      page("apps/cli/README.md", "cli", "Command line"),
    ],
  },
  {
    label: "Stores",
    pages: [
      page("docs/stores.md", "stores", "Stores compared"),
      page("packages/redis/README.md", "stores/redis", "Redis"),
      page("packages/postgres/README.md", "stores/postgres", "PostgreSQL"),
      page("packages/sqlite/README.md", "stores/sqlite", "SQLite"),
      page("packages/etcd/README.md", "stores/etcd", "etcd"),
      page("packages/dynamodb/README.md", "stores/dynamodb", "DynamoDB"),
      page("packages/pod-count/README.md", "stores/pod-count", "Pod count"),
      page("docs/writing-a-store.md", "writing-a-store", "Writing a store"),
      page("docs/store-contract.md", "store-contract", "The store contract"),
      page("packages/conformance/README.md", "packages/conformance", "Conformance suite"),
      page("packages/cas/README.md", "packages/cas", "Compare-and-swap stores"),
    ],
  },
  {
    label: "Coming from",
    pages: [
      page("docs/coming-from/bottleneck.md", "coming-from/bottleneck", "bottleneck"),
      page("docs/coming-from/rate-limiter-flexible.md", "coming-from/rate-limiter-flexible", "rate-limiter-flexible"),
      page("docs/coming-from/redis-semaphore.md", "coming-from/redis-semaphore", "redis-semaphore"),
      page("docs/coming-from/p-throttle.md", "coming-from/p-throttle", "p-throttle"),
      page("docs/coming-from/p-queue.md", "coming-from/p-queue", "p-queue"),
      page("docs/coming-from/limiter.md", "coming-from/limiter", "limiter"),
      page("docs/coming-from/effect.md", "coming-from/effect", "effect"),
      page("docs/coming-from/express-rate-limit.md", "coming-from/express-rate-limit", "express-rate-limit"),
      page("docs/numaflow.md", "coming-from/numaflow", "Numaflow"),
    ],
  },
  {
    label: "Trust",
    pages: [
      page("docs/guarantees.md", "guarantees", "Guarantees"),
      page("docs/protocol.md", "protocol", "The protocol"),
      page("docs/shares.md", "shares", "Shares by demand"),
      page("docs/how-it-is-tested.md", "how-it-is-tested", "How it is tested"),
      page("docs/model.md", "model", "The model"),
      page("docs/performance.md", "performance", "Performance"),
      page("SECURITY.md", "security", "Security"),
      page("docs/support.md", "support", "Support"),
      page("docs/sizes.md", "sizes", "Sizes"),
      page("CHANGELOG.md", "changelog", "Changelog"),
    ],
  },
  {
    label: "Packages",
    pages: [
      page("packages/core/README.md", "packages/core", "@dt/core"),
      page("packages/budget/README.md", "packages/budget", "@dt/budget"),
      page("packages/keyed/README.md", "packages/keyed", "@dt/keyed"),
      page("packages/adaptive/README.md", "packages/adaptive", "@dt/adaptive"),
      page("packages/http/README.md", "packages/http", "@dt/http"),
      page("packages/signal/README.md", "packages/signal", "@dt/signal"),
      page("packages/pipeline/README.md", "packages/pipeline", "@dt/pipeline"),
      page("packages/otel/README.md", "packages/otel", "@dt/otel"),
      page("packages/numaflow/README.md", "packages/numaflow", "@dt/numaflow"),
    ],
  },
  {
    label: "Contribute",
    pages: [
      page("docs/architecture.md", "architecture", "Architecture"),
      page("CONTRIBUTING.md", "contributing", "Contributing"),
      page("docs/releasing.md", "releasing", "Releasing"),
    ],
  },
];

export const PAGES: readonly Page[] = SECTIONS.flatMap(({ pages }) => pages);

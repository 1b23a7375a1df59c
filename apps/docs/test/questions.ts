/** A question that a reader has, what the reader would type into the search, and the page that answers it. */
export interface Question {
  readonly who: "operator" | "developer";
  readonly question: string;
  /** What a reader would type. */
  readonly words: string;
  /** The slug of the page that answers (src/sections.ts), with the anchor of the section where there is one. */
  readonly page: string;
}

/** What a newcomer asks first: six questions of an operator, then six of a developer. */
const FIRST: readonly Question[] = [
  {
    who: "operator",
    question: "What happens to my limit when I deploy?",
    words: "rolling deploy",
    page: "guides/deploys",
  },
  { who: "operator", question: "Redis is down: do calls stop?", words: "redis down", page: "guides/store-down" },
  {
    who: "operator",
    question: "How do I change a limit at night, without a deploy?",
    words: "change limit without deploy",
    page: "stored-limits",
  },
  {
    who: "operator",
    question: "A process was killed: when does its share come back?",
    words: "process killed share",
    page: "guides/shutdown#when-it-goes-wrong",
  },
  { who: "operator", question: "What do I alert on?", words: "alert", page: "operations#what-to-watch" },
  {
    who: "operator",
    question: "Calls wait, and I do not know why.",
    words: "why do my calls wait",
    page: "questions#why-do-my-calls-wait-although-the-limit-is-not-used-up",
  },
  {
    who: "developer",
    question: "What does acquire(5) give me, and when?",
    words: "acquire cost",
    page: "limiters#asking",
  },
  {
    who: "developer",
    question: "How do I test code that waits for a limit?",
    words: "fake timers",
    page: "guides/testing",
  },
  {
    who: "developer",
    question: "How do I cancel a call that waits?",
    words: "cancel waiting call",
    page: "questions#how-do-i-cancel-a-call-that-waits",
  },
  {
    who: "developer",
    question: "How do I get an error at once, instead of waiting?",
    words: "error instead of waiting",
    page: "questions#how-do-i-get-an-error-at-once-instead-of-waiting",
  },
  {
    who: "developer",
    question: "I know the tokens of a call only afterwards. What do I reserve?",
    words: "tokens known only after the call",
    page: "questions#what-if-the-cost-of-a-call-such-as-its-tokens-is-known-only-afterwards",
  },
  {
    who: "developer",
    question: "Does a wrapped function keep its TypeScript types?",
    words: "typescript types",
    page: "questions#does-wrap-keep-the-typescript-types-of-my-function",
  },
];

/** What comes after that: ten of an operator, then ten of a developer. */
const LATER: readonly Question[] = [
  {
    who: "operator",
    question: "May two versions of @dt run side by side?",
    words: "two versions side by side",
    page: "guides/deploys#versions-of-dt-side-by-side",
  },
  {
    who: "operator",
    question: "How do I repair a damaged row, or remove a dead member?",
    words: "repair damaged row",
    page: "operations#a-row-is-damaged",
  },
  {
    who: "operator",
    question: "How much load does it put on Redis?",
    words: "load on redis",
    page: "operations#how-much-load",
  },
  {
    who: "operator",
    question: "Who uses how much of the limit?",
    words: "who holds tokens",
    page: "questions#who-uses-the-limit-which-process-holds-the-tokens",
  },
  {
    who: "operator",
    question: "Does it work on a Redis Cluster?",
    words: "redis cluster",
    page: "stores/redis#cluster",
  },
  {
    who: "operator",
    question: "Which permissions does the Redis user need?",
    words: "redis ACL user",
    page: "stores/redis#tls-and-acl-users",
  },
  {
    who: "operator",
    question: "My autoscaler starts workers in vain. What do I tell it?",
    words: "keda autoscaler",
    page: "guides/autoscaling",
  },
  {
    who: "operator",
    question: "How long must Kubernetes wait before it kills a pod?",
    words: "terminationGracePeriodSeconds",
    page: "guides/shutdown#kubernetes",
  },
  {
    who: "operator",
    question: "The API answers 429 although the limit is kept. Why?",
    words: "429 although limit is kept",
    page: "operations#the-callee-refuses-calls",
  },
  {
    who: "operator",
    question: "How do I move the fleet to another Redis?",
    words: "moving to another store",
    page: "operations#moving-a-fleet-to-another-store",
  },
  {
    who: "developer",
    question: "ESM or CommonJS, and which Node.js?",
    words: "commonjs esm node",
    page: "choose#where-it-runs",
  },
  {
    who: "developer",
    question: "Does it run in serverless functions, in Next.js, on Bun or Deno?",
    words: "serverless",
    page: "choose#where-it-runs",
  },
  {
    who: "developer",
    question: "Some calls are more urgent than others. How do they go first?",
    words: "urgent calls priority",
    page: "choose#urgent-calls",
  },
  {
    who: "developer",
    question: "How do I limit each tenant of my Fastify or Express server?",
    words: "limit per tenant",
    page: "guides/tenants",
  },
  {
    who: "developer",
    question: "The API answered with Retry-After. How do I stop all processes for that time?",
    words: "retry-after pause",
    page: "questions#the-api-answered-429-with-retry-after-how-do-i-pause-all-processes",
  },
  {
    who: "developer",
    question: "How do I use it in a worker of BullMQ?",
    words: "bullmq worker",
    page: "guides/jobs#in-a-worker-of-a-queue",
  },
  {
    who: "developer",
    question: "How are the tokens of a stream counted?",
    words: "stream usage tokens",
    page: "budgets#streams",
  },
  {
    who: "developer",
    question: "My quota is for a day. What do I write?",
    words: "quota per day",
    page: "choose#a-quota-of-a-minute-an-hour-or-a-day",
  },
  {
    who: "developer",
    question: "My call failed with DT_TIMEOUT. What now?",
    words: "DT_TIMEOUT",
    page: "errors#dt_timeout",
  },
  {
    who: "developer",
    question: "How much of my provider's limit should I leave unused?",
    words: "headroom sliding window",
    page: "guides/headroom",
  },
];

/** The search of the site must find the page of each within its first five results. */
export const QUESTIONS: readonly Question[] = [...FIRST, ...LATER];

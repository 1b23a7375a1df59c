/** A question that a reader has, what the reader would type into the search, and the page that answers it. */
export interface Question {
  readonly who: "operator" | "developer";
  readonly question: string;
  /** What a reader would type. */
  readonly words: string;
  /** The slug of the page that answers (src/sections.ts), with the anchor of the section where there is one. */
  readonly page: string;
}

/** The search of the site must find the page of each within its first five results. */
export const QUESTIONS: readonly Question[] = [
  {
    who: "operator",
    question: "What happens to my calls when the store is down?",
    words: "store down",
    page: "guides/store-down",
  },
  {
    who: "developer",
    question: "How much of my provider's limit should I leave unused?",
    words: "headroom",
    page: "guides/headroom",
  },
  {
    who: "developer",
    question: "How do I limit tokens per minute of an LLM?",
    words: "llm tokens per minute",
    page: "guides/llm-quota",
  },
];

import { hash } from "../../random.ts";

/** What happened, line by line: for people, and to show that two runs were the same. */
export class Trace {
  readonly #print: ((line: string) => void) | undefined;
  #lines = 0;
  #hash = 0;

  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(atMs: number, text: string): void {
    const line = `${atMs.toFixed(4).padStart(12)} ${text}`;
    this.#lines += 1;
    this.#hash = hash(this.#hash, line);
    this.#print?.(line);
  }

  /** The number of lines, and a hash over them all. */
  get digest(): string {
    return `${this.#lines}-${this.#hash.toString(16)}`;
  }
}

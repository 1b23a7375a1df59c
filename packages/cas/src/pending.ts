/** Promises that somebody waits for, so that all of them can be failed at once. */
export class Pending {
  readonly #rejects = new Set<(error: unknown) => void>();

  /** The same outcome as `promise`, unless {@link fail} comes first; what comes after is dropped. */
  guard<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#rejects.add(reject);
      const forget = (): void => {
        this.#rejects.delete(reject);
      };
      promise.then(resolve, reject).finally(forget);
    });
  }

  fail(error: unknown): void {
    for (const reject of this.#rejects) reject(error);
    this.#rejects.clear();
  }
}

import { Failure } from "../exit-code.ts";

/**
 * Runs with a promise that rejects when an error turns up outside of any call: an unhandled rejection, an "error" event
 * without a listener. Node would end the process on the spot and with it the chance to end servers.
 */
export async function withStrayErrors<T>(run: (stray: Promise<never>) => Promise<T>): Promise<T> {
  let onError: (error: unknown) => void = () => {};
  const stray = new Promise<never>((_, reject) => {
    onError = (error) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      reject(new Failure(`an error that no call was answered with, so that nobody could handle it: ${text}`));
    };
  });
  process.on("uncaughtException", onError);
  try {
    return await run(stray);
  } finally {
    process.off("uncaughtException", onError);
  }
}

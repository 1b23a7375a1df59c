import { constants } from "node:os";

/** How a signal ends a run, and with which exit code. */
export interface Stopping {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** 128 and the number of the first signal, as shells have it; undefined while there was none. */
  readonly exitCode: number | undefined;
  /** Signals mean again what they mean without us. */
  end(): void;
}

/** One Ctrl-C may arrive twice: from the terminal, and again from whoever started us and passes on what it receives. */
const SAME_KEY_PRESS_MS = 300;

/**
 * The first signal lets the run end what it began, the second ends the process at once.
 * @param told hears of the first
 */
export function stopOnSignals(told: (signal: NodeJS.Signals) => void): Stopping {
  const controller = new AbortController();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let exitCode: number | undefined;
  let firstMs = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (exitCode === undefined) {
      exitCode = 128 + constants.signals[signal];
      firstMs = performance.now();
      told(signal);
      controller.abort(new DOMException(`stopped by ${signal}`, "AbortError"));
    } else if (performance.now() - firstMs > SAME_KEY_PRESS_MS) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    end: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

import type { MembershipSettings } from "./membership-settings.ts";
import type { StoreCalls } from "./store-calls.ts";

/** Listens for hints of changes, where the store can push; the store re-establishes a subscription it loses. */
export class Hints {
  readonly #settings: MembershipSettings;
  readonly #calls: StoreCalls;
  readonly #onChange: () => void;
  #listening = false;
  #ended = false;
  #unwatch: (() => void) | undefined;

  constructor(settings: MembershipSettings, calls: StoreCalls, onChange: () => void) {
    this.#settings = settings;
    this.#calls = calls;
    this.#onChange = onChange;
  }

  /** Begins to listen, unless it does or cannot. After a failure the next call tries again. */
  listen(): void {
    const { store, group } = this.#settings;
    if (!store.capabilities.push || !store.watch || this.#listening) return;
    this.#listening = true;
    const watch = store.watch.bind(store);
    this.#calls
      .withDeadline("watch", (signal) => watch(group, this.#onChange, signal))
      .then(
        (unwatch) => {
          if (this.#ended) unwatch();
          else this.#unwatch = unwatch;
        },
        (error: unknown) => {
          this.#listening = false;
          this.#calls.failed("watch", error);
        },
      );
  }

  /** Ends listening for good. */
  end(): void {
    this.#ended = true;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }
}

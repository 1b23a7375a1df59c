import type { JSX } from "preact";

/** A state as a shape and a word: colour alone tells nothing to some. */
export function StateWord({ state }: { readonly state: string }): JSX.Element {
  return (
    <span class={`state state-${state}`}>
      <i aria-hidden="true" />
      {state}
    </span>
  );
}

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { State } from "../../../fleet/report.ts";
import { visible } from "../format.ts";
import { announcedOf } from "../state.ts";
import { StateWord } from "./state-word.tsx";

/** What matters most, in one sentence. It is read aloud when more of it changes than its numbers. */
export function Verdict({ state, text }: { readonly state: State; readonly text: string }): JSX.Element {
  const shown = visible(text);
  const announced = announcedOf(shown);
  const spoken = useMemo(() => `${state}: ${shown}`, [state, announced]);
  return (
    <section class={`verdict verdict-${state}`} aria-label="Verdict">
      <StateWord state={state} />
      <p data-testid="verdict">{shown}</p>
      <span class="unseen" role="status" aria-live="polite" data-testid="announcement">
        {spoken}
      </span>
    </section>
  );
}

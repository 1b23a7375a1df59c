import type { JSX } from "preact";
import type { Mark } from "../../protocol.ts";
import { timeOfDay, visible } from "../format.ts";
import { ALARMING, SIGNS } from "../marks.ts";
import { hashOf } from "../route.ts";

interface Props {
  readonly marks: readonly Mark[];
  readonly most: number;
  /** True where the marks are of several limiters. */
  readonly named?: boolean;
}

/** Events as a list, the newest first. */
export function MarksList({ marks, most, named = false }: Props): JSX.Element {
  if (marks.length === 0) return <p class="dim">Nothing happened while the console ran.</p>;
  return (
    <>
      <ol class="marks" data-testid="marks">
        {marks.slice(0, most).map((mark) => (
          <li key={`${mark.atMs} ${mark.kind} ${mark.name} ${mark.what} ${mark.text}`}>
            <time dateTime={new Date(mark.atMs).toISOString()}>{timeOfDay(mark.atMs)}</time>
            <span class={ALARMING.has(mark.what) ? "sign alarming" : "sign"}>
              <i aria-hidden="true">{SIGNS[mark.what]}</i> {mark.what}
            </span>
            {named && <a href={hashOf(mark)}>{visible(mark.name)}</a>}
            <span class="what">{visible(mark.text)}</span>
          </li>
        ))}
      </ol>
      {marks.length > most && <p class="dim">and {marks.length - most} older ones</p>}
    </>
  );
}

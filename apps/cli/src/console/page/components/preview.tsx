import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { LimitOrder, LimitPreview } from "../../protocol.ts";
import { valuesOf, visible } from "../format.ts";

interface Props {
  readonly order: LimitOrder;
  readonly preview: LimitPreview;
  readonly busy: boolean;
  readonly error: string | undefined;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

/** What follows of a change, before it is made. */
export function Preview({ order, preview, busy, error, onConfirm, onCancel }: Props): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { from, to, follows, inVain } = preview;
  return (
    <section class="preview" aria-labelledby="preview-title" data-testid="preview">
      <h3 id="preview-title" tabIndex={-1} ref={heading}>
        {order.limit === null ? "Remove the limit" : `Set the limit to ${visible(order.limit)}`}
        {order.for !== undefined && ` for ${visible(order.for)}`}
        {order.key !== undefined && `, key ${visible(order.key)}`}
      </h3>
      <p class="from-to">
        {visible(valuesOf(from))} <span class="unseen">becomes</span>
        <span aria-hidden="true">→</span> <b>{visible(valuesOf(to))}</b>
      </p>
      {inVain && (
        <p class="problem" data-testid="in-vain">
          Nothing would follow: the processes of this limiter take their limit from the code. They need `stored: true`.
        </p>
      )}
      <ul>
        {follows.map((sentence) => (
          <li key={sentence}>{visible(sentence)}</li>
        ))}
      </ul>
      {error !== undefined && (
        <p class="problem" role="alert" data-testid="limit-error">
          {visible(error)}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" disabled={busy} onClick={onConfirm} data-testid="confirm">
          {order.limit === null ? "Remove it" : "Set it"}
        </button>
        <button type="button" disabled={busy} onClick={onCancel} data-testid="cancel">
          Back
        </button>
      </div>
    </section>
  );
}

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LimiterKind } from "../../../stores/limiter-kinds.ts";
import type { LimitOrder, LimitPreview } from "../../protocol.ts";
import type { Api } from "../api.ts";
import { visible } from "../format.ts";
import { Preview } from "./preview.tsx";
import { messageOf } from "./use-report.ts";

interface Props {
  readonly kind: LimiterKind;
  readonly name: string;
  readonly hasLimit: boolean;
  readonly api: Api;
}

/** How far a change has come. */
type Step =
  | { readonly at: "form"; readonly error?: string; readonly done?: string }
  | { readonly at: "asking" }
  | { readonly at: "preview"; readonly order: LimitOrder; readonly preview: LimitPreview; readonly error?: string }
  | { readonly at: "changing"; readonly order: LimitOrder; readonly preview: LimitPreview };

const EXAMPLES: Readonly<Record<LimiterKind, string>> = {
  throttle: "200/s",
  pacer: "200/s",
  semaphore: "30",
  budget: "requests=600,tokens=60000",
  keyed: "10/s",
};

/** Changes the limit in two steps: first what follows of it, then the change. */
export function LimitForm({ kind, name, hasLimit, api }: Props): JSX.Element {
  const [limit, setLimit] = useState("");
  const [key, setKey] = useState("");
  const [burst, setBurst] = useState("");
  const [concurrent, setConcurrent] = useState("");
  const [reason, setReason] = useState("");
  const [time, setTime] = useState("");
  const [step, setStep] = useState<Step>({ at: "form" });

  const preview = async (value: string | null): Promise<void> => {
    const order: LimitOrder = {
      kind,
      name,
      limit: value,
      ...(key !== "" && { key }),
      ...(burst !== "" && value !== null && { burst: Number(burst) }),
      ...(concurrent !== "" && value !== null && { concurrent: Number(concurrent) }),
      ...(reason !== "" && { reason }),
      ...(time !== "" && value !== null && { for: time }),
    };
    setStep({ at: "asking" });
    try {
      setStep({ at: "preview", order, preview: await api.preview(order) });
    } catch (error) {
      setStep({ at: "form", error: messageOf(error) });
    }
  };
  const change = async (order: LimitOrder, shown: LimitPreview): Promise<void> => {
    setStep({ at: "changing", order, preview: shown });
    try {
      const { text } = await api.change(order);
      for (const clear of [setLimit, setBurst, setConcurrent, setReason, setTime]) clear("");
      setStep({ at: "form", done: text });
    } catch (error) {
      setStep({ at: "preview", order, preview: shown, error: messageOf(error) });
    }
  };

  if (step.at === "preview" || step.at === "changing")
    return (
      <Preview
        order={step.order}
        preview={step.preview}
        busy={step.at === "changing"}
        error={step.at === "preview" ? step.error : undefined}
        onConfirm={() => void change(step.order, step.preview)}
        onCancel={() => setStep({ at: "form" })}
      />
    );
  const busy = step.at === "asking";
  return (
    <form
      class="limit-form"
      data-testid="limit-form"
      onSubmit={(event) => {
        event.preventDefault();
        void preview(limit);
      }}
    >
      <Field label="New limit" value={limit} onChange={setLimit} example={EXAMPLES[kind]} required />
      {kind === "keyed" && <Field label="Key" value={key} onChange={setKey} example="all keys" />}
      {(kind === "pacer" || kind === "keyed") && (
        <Field label="At once" value={burst} onChange={setBurst} example="the code's" pattern="[0-9]+" />
      )}
      {kind === "keyed" && (
        <Field label="In flight" value={concurrent} onChange={setConcurrent} example="no limit" pattern="[0-9]+" />
      )}
      <Field label="Reason" value={reason} onChange={setReason} example="why, for the history" />
      <Field label="For" value={time} onChange={setTime} example="2h; for good" />
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy}>
          See what follows
        </button>
        {hasLimit && (
          <button type="button" disabled={busy} onClick={() => void preview(null)}>
            Remove the limit
          </button>
        )}
      </div>
      {step.at === "form" && step.error !== undefined && (
        <p class="problem" role="alert" data-testid="limit-error">
          {visible(step.error)}
        </p>
      )}
      {step.at === "form" && step.done !== undefined && (
        <p class="done" role="status" data-testid="limit-done">
          {visible(step.done)}
        </p>
      )}
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly example: string;
  readonly required?: boolean;
  readonly pattern?: string;
}

function Field({ label, value, onChange, example, required = false, pattern }: FieldProps): JSX.Element {
  return (
    <label>
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={example}
        required={required}
        {...(pattern !== undefined && { pattern })}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

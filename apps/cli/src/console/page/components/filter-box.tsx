import type { JSX } from "preact";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly testId: string;
}

/** A box whose words rows must have; `/` leads to it. */
export function FilterBox({ label, value, onChange, testId }: Props): JSX.Element {
  return (
    <input
      type="search"
      class="filter"
      aria-label={label}
      placeholder={`${label}  /`}
      value={value}
      data-filter
      data-testid={testId}
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

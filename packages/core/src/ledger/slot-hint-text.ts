import type { SlotHint } from "../contract/demand.ts";

/** A hint as a text, for channels: `offer <held> <seq> <waterLevel> <wanted>`, `ask <give> <waterLevel>`. */
export function writeSlotHint(hint: SlotHint): string {
  if (hint.kind === "ask") return `ask ${hint.give} ${hint.waterLevel}`;
  return `offer ${hint.held} ${hint.seq} ${hint.waterLevel} ${hint.wanted ? 1 : 0}`;
}

/** Reads what {@link writeSlotHint} wrote; undefined for another text, which a stranger may have sent. */
export function readSlotHint(text: string | undefined): SlotHint | undefined {
  const [kind, ...rest] = (text ?? "").split(" ");
  const numbers = rest.map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) return undefined;
  if (kind === "offer" && numbers.length === 4) {
    const [held, seq, waterLevel, wanted] = numbers as [number, number, number, number];
    return { kind, held, seq, waterLevel, wanted: wanted === 1 };
  }
  if (kind === "ask" && numbers.length === 2) {
    const [give, waterLevel] = numbers as [number, number];
    return { kind, give, waterLevel };
  }
  return undefined;
}

/** The most words of a sentence. Pages and messages aim at 25. */
export const LONGEST_SENTENCE = 30;

/** The most words of a cell of a table: what is longer is a paragraph. */
export const LONGEST_CELL = 30;

/** Words that name nobody, or make a person of a program, and what stands in their place. */
const BANNED: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, "the thing's name: the caller, the process, the member, the value"],
  [/\b(?:somebody|nobody|anybody|everybody|someone|anyone|everyone|no one)\b/i, "the thing's name, or none"],
  [/\bwhat it\b/i, "the thing's name"],
  [/\b(?:say|says|said|saying)\b/i, "state, report, name, show"],
  [/\b(?:tell|tells|told|telling)\b/i, "send, report, show"],
  [/\b(?:hear|hears|heard|hearing)\b/i, "receive"],
];

/** What of a text breaks a rule, each as one line; a text is a sentence or several. */
export function faultsOf(text: string): readonly string[] {
  return [...wordFaults(text), ...sentencesOf(text).flatMap(lengthFault)];
}

/** As {@link faultsOf}, of a cell of a table. */
export function cellFaultsOf(cell: string): readonly string[] {
  const words = countWords(cell);
  const long = words > LONGEST_CELL ? [`a cell of ${words} words (at most ${LONGEST_CELL}): ${shown(cell)}`] : [];
  return [...wordFaults(cell), ...long];
}

function wordFaults(text: string): readonly string[] {
  return BANNED.flatMap(([words, instead]) => {
    const [found] = words.exec(text) ?? [];
    return found === undefined ? [] : [`"${found}", where there should be ${instead}: ${shown(text)}`];
  });
}

function lengthFault(sentence: string): readonly string[] {
  const words = countWords(sentence);
  return words > LONGEST_SENTENCE
    ? [`a sentence of ${words} words (at most ${LONGEST_SENTENCE}): ${shown(sentence)}`]
    : [];
}

/** A sentence ends with a mark before a capital, a digit, code or a quotation. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?]["')*_]*)\s+(?=["'(*_]*[\p{Lu}\d`])/u);
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

function shown(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}...`;
}

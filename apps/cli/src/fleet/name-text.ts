const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}_.:/@-]*$/u;
const MOST = 60;

/**
 * A name within a sentence: as it is where it is plain, otherwise as a JSON string. Of a long one the beginning and the
 * end are shown.
 */
export function nameText(name: string): string {
  const short = name.length <= MOST ? name : `${name.slice(0, MOST - 13)}...${name.slice(-10)}`;
  return PLAIN.test(short) ? short : JSON.stringify(short);
}

/** Some names of many: `a, b, c and 17 more`. */
export function namesText(names: readonly string[], most = 3): string {
  const some = names.slice(0, most).map(nameText).join(", ");
  return names.length > most ? `${some} and ${names.length - most} more` : some;
}

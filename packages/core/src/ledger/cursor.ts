import { invalidOption } from "../internal/check.ts";

/** Names on a page of a list (R26). */
export const PAGE_SIZE = 100;

/**
 * The `next` of a page: where the next page begins, for {@link readCursor}.
 * @param list whose page: `"redis groups"`; another list refuses the cursor
 * @param place well-formed text that the store understands
 */
export function writeCursor(list: string, place: string): string {
  return `${checksum(`${list} ${place}`)}.${encodeURIComponent(place)}`;
}

/**
 * Where the page of a cursor begins; the empty text for the first page.
 * @throws DtError `DT_INVALID_OPTION` for what `writeCursor` did not make of this list
 */
export function readCursor(list: string, cursor: string | undefined): string {
  if (cursor === undefined) return "";
  const place = typeof cursor === "string" ? placeIn(cursor) : undefined;
  if (place === undefined || writeCursor(list, place) !== cursor)
    throw invalidOption("cursor", cursor, "give next of the page before, or nothing for the first page");
  return place;
}

function placeIn(cursor: string): string | undefined {
  try {
    return decodeURIComponent(cursor.slice(cursor.indexOf(".") + 1));
  } catch {
    return undefined;
  }
}

/** FNV-1a over the text's UTF-16 units: enough to find a slip, and nothing that a stranger could not forge. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

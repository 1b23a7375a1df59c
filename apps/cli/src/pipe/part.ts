import { parse } from "node:path";
import { InvalidArgumentError } from "commander";

/** One of several processes that share an input: the first is 1. */
export interface Part {
  readonly part: number;
  readonly of: number;
}

export const WHOLE: Part = { part: 1, of: 1 };

/** Reads `2/4`, for an option of the command line. */
export function parsePart(text: string): Part {
  const [part = 0, of = 0] = /^\d{1,6}\/\d{1,6}$/.test(text) ? text.split("/").map(Number) : [];
  if (part >= 1 && part <= of) return { part, of };
  throw new InvalidArgumentError("Give a part and how many there are, such as 2/4.");
}

/**
 * Whether a record belongs to a part. Records are numbered from 0; neighbours go to different parts, so that all parts
 * end at about the same time.
 */
export function isOfPart({ part, of }: Part, record: number): boolean {
  return record % of === part - 1;
}

/**
 * The file that a part writes in place of the one named: `ok.2-of-4.jsonl` for `ok.jsonl`. Two processes that append to
 * one file would mix their lines.
 */
export function fileOfPart({ part, of }: Part, file: string): string {
  if (of === 1) return file;
  const { dir, name, ext } = parse(file);
  const own = `${name}.${part}-of-${of}${ext}`;
  return dir === "" ? own : `${dir.replace(/\/$/, "")}/${own}`;
}

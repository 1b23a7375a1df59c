import { checkKeys } from "./check.ts";
import type { Duration } from "./duration.ts";

/**
 * One option: its check, which returns the setting or throws `DT_INVALID_OPTION`. A setting in milliseconds carries
 * them in its name: the option `interval` becomes the setting `intervalMs`.
 */
export class Option<Setting, Unit extends "" | "Ms" = ""> {
  readonly check: (name: string, given: unknown) => Setting;
  readonly unit: Unit;

  constructor(check: (name: string, given: unknown) => Setting, unit: Unit) {
    this.check = check;
    this.unit = unit;
  }

  /** With a default, which is checked as if it had been given. */
  or(value: unknown): Option<Setting, Unit> {
    return new Option((name, given) => this.check(name, given === undefined ? value : given), this.unit);
  }

  /** May be left out, and is undefined then. */
  get optional(): Option<Setting | undefined, Unit> {
    return new Option((name, given) => (given === undefined ? undefined : this.check(name, given)), this.unit);
  }
}

/** One that the caller checks, with the settings at hand that its check needs. It makes no setting. */
export const later: Option<never> = new Option(() => undefined as never, "");

/** What a constructor may be given: an option for each name. */
export type Table = Readonly<Record<string, Option<unknown, "" | "Ms">>>;

/** The table of a public interface of options, for `satisfies`: no option is forgotten, and none is made up. */
export type TableOf<Options> = { readonly [Name in keyof Options]-?: Option<unknown, "" | "Ms"> };

/**
 * What options become once they are checked: each is there, durations are in milliseconds, and those of `Open` may be
 * undefined. A table says the same; but what packages export has its types written out, and this is how.
 */
export type Settings<Options, Open extends keyof Options = never> = {
  readonly [Name in keyof Options & string as Duration extends NonNullable<Options[Name]> ? `${Name}Ms` : Name]-?:
    | SettingFor<NonNullable<Options[Name]>>
    | (Name extends Open ? undefined : never);
};

type SettingFor<Given> = Duration extends Given ? number : Given;

/** What a table makes of options; nothing of those that are checked `later`. */
export type Checked<T extends Table> = {
  readonly [Name in keyof T & string as [SettingOf<T[Name]>] extends [never]
    ? never
    : `${Name}${T[Name]["unit"]}`]: SettingOf<T[Name]>;
};

type SettingOf<O> = O extends Option<infer Setting, "" | "Ms"> ? Setting : never;

/**
 * Checks options by their table: every name is known, every value is one of its kind.
 * @param what names the options in an error
 * @param prefix stands before the name of each option in an error
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function settingsOf<T extends Table>(table: T, options: object, what = "options", prefix = ""): Checked<T> {
  checkKeys(what, options, new Set(Object.keys(table)), prefix);
  const settings: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table))
    if (option !== later)
      settings[name + option.unit] = option.check(prefix + name, (options as Readonly<Record<string, unknown>>)[name]);
  return settings as Checked<T>;
}

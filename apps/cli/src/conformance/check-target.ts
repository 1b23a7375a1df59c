import { conformanceCases, type StoreFaults, type StoreTarget } from "@dt/conformance";
import { isDtError, type Runtime, type StoreCapabilities } from "@dt/core";
import { packageName } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";

/** What a target file gives: a target, which may end what it started for itself. */
export type LoadedTarget = StoreTarget & { stop?(): unknown; [Symbol.asyncDispose]?(): PromiseLike<void> };

/** Some of the properties, and nothing known of their values. */
type Unchecked<K extends PropertyKey> = { readonly [key in K]?: unknown };

const CLOCKS = ["server", "host", "hybrid"];
const FAULT_PAIRS = [
  ["kill", "restart"],
  ["pause", "resume"],
  ["partition", "heal"],
] as const;

/**
 * Checks everything about a target that can be told without making a store.
 * @throws UsageError names the file, the property and the remedy
 */
export function checkTarget(value: unknown, file: string): LoadedTarget {
  const refuse = (property: string, problem: string): never => {
    throw new UsageError(`${file}: ${property} ${problem}`);
  };
  const target =
    asUnchecked<keyof LoadedTarget>(value) ??
    refuse("the target", `is ${show(value)}; export an object { name, capabilities, createStore }`);

  if (typeof target.name !== "string" || target.name === "")
    refuse("name", `is ${show(target.name)}; give the text that reports are to show, such as "my-database"`);
  checkCapabilities(target.capabilities, refuse);
  if (typeof target.createStore !== "function")
    refuse("createStore", `is ${show(target.createStore)}; give a function that makes a store or a promise of one`);
  for (const name of ["destroyStore", "createSkewedStore", "roundTrips", "stop"] as const)
    if (!["undefined", "function"].includes(typeof target[name]))
      refuse(name, `is ${show(target[name])}; give a function, or leave it out`);
  if (!["undefined", "boolean"].includes(typeof target.sharesData))
    refuse(
      "sharesData",
      `is ${show(target.sharesData)}; give false when two stores see different groups, or leave it out`,
    );
  if (!["undefined", "boolean"].includes(typeof target.permits))
    refuse("permits", `is ${show(target.permits)}; give true or false, or leave it out: then the store itself decides`);
  if (target.timeScale !== undefined && !(isNumber(target.timeScale) && target.timeScale > 0))
    refuse(
      "timeScale",
      `is ${show(target.timeScale)}; give a positive number (1 is the default, 2 doubles every time)`,
    );
  const members = target.maxMembers;
  if (members !== undefined && !(Number.isSafeInteger(members) && Number(members) >= 2))
    refuse("maxMembers", `is ${show(members)}; give a whole number of at least 2, or leave it out`);
  checkFaults(target.faults, refuse);
  checkRuntime(target.runtime, refuse);
  checkNames(value as LoadedTarget, file);
  return value as LoadedTarget;
}

/** The suite refuses what it does not know, and `damage` that it cannot call. */
function checkNames(target: LoadedTarget, file: string): void {
  try {
    conformanceCases(target);
  } catch (error) {
    if (isDtError(error, "DT_INVALID_OPTION")) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  }
}

type Refuse = (property: string, problem: string) => never;

function checkCapabilities(value: unknown, refuse: Refuse): void {
  const capabilities =
    asUnchecked<keyof StoreCapabilities>(value) ??
    refuse(
      "capabilities",
      `is ${show(value)}; give { name, clock, ledger, losesData, hints }, the same as the store's own`,
    );
  const { name, clock } = capabilities;
  if (typeof name !== "string" || name === "")
    refuse("capabilities.name", `is ${show(name)}; give a short name, such as "my-database"`);
  if (!CLOCKS.includes(clock as string))
    refuse(
      "capabilities.clock",
      `is ${show(clock)}; give "server", "host" or "hybrid": whose clock the store's times are read from`,
    );
  for (const flag of ["ledger", "losesData", "hints"] as const)
    if (typeof capabilities[flag] !== "boolean")
      refuse(`capabilities.${flag}`, `is ${show(capabilities[flag])}; give true or false`);
}

function checkFaults(value: unknown, refuse: Refuse): void {
  if (value === undefined) return;
  const faults =
    asUnchecked<keyof StoreFaults>(value) ??
    refuse("faults", `is ${show(value)}; give an object of functions, or leave it out`);
  for (const name of [...FAULT_PAIRS.flat(), "shiftClock"] as const)
    if (!["undefined", "function"].includes(typeof faults[name]))
      refuse(`faults.${name}`, `is ${show(faults[name])}; give a function, or leave it out`);
  for (const [fault, remedy] of FAULT_PAIRS)
    if (faults[fault] !== undefined && faults[remedy] === undefined)
      refuse(`faults.${fault}`, `has no faults.${remedy} to undo it; give both`);
}

function checkRuntime(value: unknown, refuse: Refuse): void {
  if (value === undefined) return;
  const runtime = asUnchecked<keyof Runtime>(value);
  for (const name of ["now", "setTimer", "random"] as const)
    if (typeof runtime?.[name] !== "function")
      refuse(
        "runtime",
        `is no Runtime: it has no function ${name}; give one of ${packageName("core")}, or leave it out`,
      );
}

function asUnchecked<K extends PropertyKey>(value: unknown): Unchecked<K> | undefined {
  return typeof value === "object" && value !== null ? (value as Unchecked<K>) : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A value in a message: short, and without its content when it is large. */
export function show(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

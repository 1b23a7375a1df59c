import type { MemberView, Registration } from "@dt/core";
import type { CaseGroup } from "./case-group.ts";
import type { CaseContext } from "./context.ts";
import type { Member, MemberOptions } from "./member.ts";

/** Longer than a case runs: what epoch it is does not depend on how fast the store is. */
export function intervalOf(context: CaseContext): number {
  return context.ms(60_000);
}

/** Store time at which an epoch begins. */
export function atEpoch({ options }: Member, epoch: number): number {
  return epoch * options.intervalMs;
}

/** The epoch after the one that runs. */
export async function nextEpoch(context: CaseContext, { store }: CaseGroup): Promise<number> {
  const { storeTimeMs } = await context.member(store, context.group()).join();
  return Math.floor(storeTimeMs / intervalOf(context)) + 1;
}

export interface Scene {
  readonly group: CaseGroup;
  readonly a: Member;
  readonly b: Member;
  /** It has just begun, and no token became free in it. */
  readonly epoch: number;
}

/** A group of two. The first has held all of the capacity for an epoch, the second nothing. */
export async function scene(
  context: CaseContext,
  first: MemberOptions & Pick<Registration, "clockErrorMs"> = {},
  second: MemberOptions = {},
): Promise<Scene> {
  const group = await context.newGroup();
  const epoch = (await nextEpoch(context, group)) + 1;
  const { clockErrorMs = 0, ...options } = first;
  const a = group.member({ intervalMs: intervalOf(context), ...options });
  const b = group.member({ intervalMs: intervalOf(context), ...second });
  await a.join({ clockErrorMs, observedMs: atEpoch(a, epoch - 1) });
  await b.join();
  const { held } = await a.beat({ observedMs: atEpoch(a, epoch) });
  a.held = held;
  return { group, a, b, epoch };
}

/** The same with 90 tokens and a third member, that holds none of them. */
export async function sceneOfThree(context: CaseContext): Promise<Scene & { readonly c: Member }> {
  const pair = await scene(context, { max: 90 }, { max: 90 });
  const c = pair.group.member(pair.a.options);
  await c.join();
  return { ...pair, c };
}

/** What an answer says of what its member may use, and from when. */
export function shows(
  context: CaseContext,
  { entitled, early, fromEpoch }: MemberView,
  expected: Pick<MemberView, "entitled" | "early" | "fromEpoch">,
): void {
  const inWords = (start: typeof expected): string =>
    `${start.entitled} tokens from epoch ${start.fromEpoch} on, of what is new ${start.early} an epoch earlier`;
  context.equal(inWords({ entitled, early, fromEpoch }), inWords(expected), "what the member may use");
}

import type { MemberView, Registration } from "@dt/core";
import { accepted, newcomer } from "@dt-tooling/simulator/requests";
import { beforeEach, expect } from "vitest";
import { groupKeys } from "../../src/keys.ts";
import { redis, store, useServer } from "./own-server.ts";

let groups = 0;
export let group: string;
export let members: Registration[];
export let views: MemberView[];

/** Before each test: three members of a new group that agree on 12 tokens. */
export function useThreeMembers(): void {
  useServer({ control: true });
  beforeEach(async () => {
    group = `g${groups++}`;
    members = [1, 2, 3].map(() => newcomer({ max: 12, staleAfterMs: 20_000 }));
    for (const member of members) await store.register(group, member);
    views = [];
    for (const seq of [2, 3, 4, 5]) for (const i of [0, 1, 2]) await sync(i, seq);
    for (const view of views) expect(view).toMatchObject({ status: "agree", members: 3, held: 4 });
  });
}

export async function sync(i: number, seq: number): Promise<MemberView> {
  const self = members[i] as Registration;
  const generation = views[i]?.generation ?? 0;
  const view = accepted(await store.sync(group, self, { seq, generation, members: 3, held: 4, max: 12, level: null }));
  views[i] = view;
  return view;
}

export const keys = () => groupKeys("dt", group).keys as [string, string, string, string, string, string];
export const member = (i: number): string => `m:${members[i]?.incarnation}`;

/** Lua that changes a row: `row` is the list that is stored, `ARGV[2]` its field. */
export function edit(field: string, lua: string): Promise<unknown> {
  const text = `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) }\n${lua}\nredis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(row)))`;
  return redis.eval(text, 1, keys()[0], field);
}

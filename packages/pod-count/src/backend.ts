import { DtError, type GroupSnapshot, type StoreCapabilities, type View } from "@dt/core";
import type { Backend, HintEvents, Topic } from "@dt/core/store";
import { Member } from "./member.ts";
import { ObservedMembers } from "./members/observed-members.ts";
import { checkPodCountOptions, type PodCountOptions } from "./options.ts";

/** What a pod count store promises: no ledger, no clock but the machine's own, hints when the fleet changes. */
export const podCountCapabilities: StoreCapabilities = {
  name: "pod-count",
  clock: "host",
  ledger: false,
  losesData: false,
  hints: true,
};

/** This process's own members, and the fleet as its source says. @throws DtError `DT_INVALID_OPTION` */
export function podCountBackend(options: PodCountOptions): Backend {
  const { source, settleMs, ordinal, timeoutMs, onError, runtime } = checkPodCountOptions(options);
  const members = new Map<string, Member>();
  const watched = new Set<Topic>();
  let events: HintEvents | undefined;
  const onChange = (): void => {
    for (const topic of watched) events?.onHint(topic);
  };
  const observed = new ObservedMembers({ source, runtime, settleMs, ordinal, onError, onChange });

  function viewOf(group: string, member: Member, nowMs: number): View {
    const view = member.view(observed, nowMs);
    if (member.starves(view)) onError(starvation(group, view.capacity, view.members));
    return view;
  }

  return {
    capabilities: podCountCapabilities,
    runtime,
    timeoutMs,
    async register(group, registration, call) {
      await observed.ready();
      call.signal.throwIfAborted();
      const nowMs = runtime.now();
      const known = members.get(group);
      if (known && known.incarnation !== registration.incarnation && !known.isStale(nowMs)) throw taken(group);
      if (known?.incarnation === registration.incarnation) {
        known.hear(registration, nowMs);
        return viewOf(group, known, nowMs);
      }
      const member = new Member(registration, nowMs, observed);
      members.set(group, member);
      return viewOf(group, member, nowMs);
    },
    sync(group, { incarnation }, report) {
      const nowMs = runtime.now();
      const member = members.get(group);
      if (member?.incarnation !== incarnation) return { status: "unknown", storeTimeMs: nowMs };
      member.hear(report, nowMs);
      return viewOf(group, member, nowMs);
    },
    // The fleet is what the source says: others take over the share once it no longer lists this member.
    deregister(group, { incarnation }) {
      if (members.get(group)?.incarnation === incarnation) members.delete(group);
    },
    inspect(group) {
      const nowMs = runtime.now();
      return members.get(group)?.snapshot(group, observed, nowMs) ?? emptySnapshot(group, nowMs);
    },
    listen(opened) {
      events = opened;
      return {
        listen: (topics) => {
          for (const topic of topics) watched.add(topic);
        },
        unlisten: (topic) => void watched.delete(topic),
        close: () => watched.clear(),
      };
    },
    notSent: ({ what }, cause) =>
      new DtError("DT_STORE_TIMEOUT", `${what} failed, waiting for ${source.name}: no answer within ${timeoutMs} ms`, {
        cause,
      }),
    close() {
      members.clear();
      observed.close(new DtError("DT_STORE_CLOSED", "the pod-count store is closed; create a new one"));
    },
  };
}

function taken(group: string): DtError {
  return new DtError(
    "DT_INVALID_OPTION",
    `group ${JSON.stringify(group)} has a throttle on this store already, and a pod counts as one member; share that throttle, or stop it first`,
  );
}

function starvation(group: string, max: number, memberCount: number): DtError {
  return new DtError(
    "DT_STORE_UNSUITABLE",
    `group ${JSON.stringify(group)} has max ${max} and ${memberCount} members, so some are granted nothing at all (without ranks all of them); give a longer interval with a larger max (10 each second is 100 in 10 s), or a store with a ledger`,
  );
}

function emptySnapshot(group: string, nowMs: number): GroupSnapshot {
  return {
    group,
    generation: 0,
    capacity: 0,
    memberCount: 0,
    adopted: 0,
    held: 0,
    intervalMs: 0,
    storeTimeMs: nowMs,
    groupAgeMs: 0,
    learning: false,
    members: [],
  };
}

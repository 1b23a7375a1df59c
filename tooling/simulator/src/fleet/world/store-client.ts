import {
  type CoordinationStore,
  DtError,
  type GroupSnapshot,
  type MemberRef,
  type Report,
  type SlotHint,
  type StoreCapabilities,
  type View,
} from "@dt/core";
import { checkFarewell, checkRegistration, checkReport, inspect } from "@dt/core/ledger";
import type { Timeline } from "../engine/timeline.ts";
import type { Link } from "./link.ts";
import type { Host } from "./sim-runtime.ts";
import type { SimStore, StoreRequest } from "./sim-store.ts";
import type { SimTable } from "./sim-table.ts";

/** What sees a process's calls as they are sent and as the answers come. */
export interface ClientObserver {
  /** Returns the local time of sending. */
  sent(incarnation: string, report?: Report): number;
  /** The answer is about to be handed to the core; undefined when it is an error or carries nothing. */
  answered(sentMs: number, view: View | undefined): void;
  /** What it was about to send is refused by the check that every store makes before anything else. */
  refused(operation: string, error: Error): void;
}

/**
 * One process's connection to the store: every call is a message that may be delayed, lost, doubled or refused, and so
 * is its answer.
 */
export function storeClient(
  name: string,
  store: SimStore,
  timeline: Timeline,
  link: Link,
  host: Host,
  capabilities: StoreCapabilities,
  observer: ClientObserver,
): CoordinationStore {
  const { ledger } = store;

  function call<T>(
    operation: StoreRequest["operation"],
    incarnation: string,
    check: () => void,
    run: (table: SimTable, clockMs: number) => unknown,
    report?: Report,
  ): Promise<T> {
    try {
      check();
    } catch (error) {
      observer.refused(operation, error as Error);
      return Promise.reject(error);
    }
    const sentMs = observer.sent(incarnation, report);
    return new Promise<T>((resolve, reject) => {
      let settled = false;
      const settle = (result: { readonly value: unknown } | { readonly error: unknown } | "refused"): void =>
        host.deliver("message", () => {
          if (settled) return;
          settled = true;
          const failed = result === "refused" || "error" in result;
          observer.answered(sentMs, failed ? undefined : (result.value as View | undefined));
          if (result === "refused")
            reject(new DtError("DT_STORE_UNAVAILABLE", `${name} was refused by the simulated store`));
          else if ("error" in result) reject(result.error);
          else resolve(result.value as T);
        });
      const reply: StoreRequest["answer"] = (result) => {
        if (link.cut !== undefined) return;
        for (const delayMs of link.copies("reply"))
          timeline.after(delayMs, () => {
            if (link.cut === undefined) settle(result);
          });
      };
      if (link.cut === "refused") {
        timeline.after(0.2, () => settle("refused"));
        return;
      }
      const request: StoreRequest = { label: `${name} ${operation}`, operation, incarnation, run, answer: reply };
      for (const delayMs of link.copies("request"))
        timeline.after(delayMs, () => {
          // A cut link carries nothing on, whatever was under way; "deaf" lets requests through.
          if (link.cut === undefined || link.cut === "deaf") store.receive(request);
        });
    });
  }

  return {
    capabilities,
    register: (group, registration) =>
      call<View>(
        "register",
        registration.incarnation,
        () => checkRegistration(group, registration),
        (table, clockMs) =>
          ledger.register(table, registration, clockMs, capabilities.dataAge ? store.dataSinceMs() : undefined),
      ),
    sync: (group, member, report) =>
      call<View>(
        "sync",
        member.incarnation,
        () => checkReport(group, member, report),
        (table, clockMs) => ledger.sync(table, member, report, clockMs),
        report,
      ),
    deregister: (group, member, farewell) =>
      call<void>(
        "deregister",
        member.incarnation,
        () => checkFarewell(group, member, farewell),
        (table, clockMs) => ledger.deregister(table, member, farewell, clockMs),
      ),
    inspect: (group) =>
      call<GroupSnapshot>(
        "inspect",
        "",
        () => undefined,
        (table, clockMs) => inspect(table, group, clockMs),
      ),
    ...(capabilities.hints && {
      onHint: async (_group: string, listener: (about?: "pause") => void) =>
        store.onHint((about) => {
          if (link.cut !== undefined) return;
          for (const delayMs of link.copies("reply"))
            timeline.after(delayMs, () => {
              if (link.cut === undefined) host.deliver("message", () => listener(about));
            });
        }),
      ...(capabilities.slots && {
        onSlotHint: async (
          _group: string,
          member: MemberRef,
          listener: (hint: SlotHint | undefined) => void,
        ): Promise<() => void> =>
          store.onSlotHint(member.incarnation, (hint) => {
            if (link.cut !== undefined) return;
            for (const delayMs of link.copies("reply"))
              timeline.after(delayMs, () => {
                if (link.cut === undefined) host.deliver("message", () => listener(hint));
              });
          }),
      }),
    }),
    close: async () => {},
  };
}

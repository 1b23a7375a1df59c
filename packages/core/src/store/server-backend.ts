import { type Backend, type BackendParts, type Operations, partsOf } from "./backend.ts";
import type { Answer, Call } from "./call.ts";

/** One operation that the server computes: what is sent for it, and what the reply means. */
export type ServerFunction<Operation, Request> = Operation extends (...given: [...infer Given, Call]) => Answer<infer T>
  ? {
      readonly request: (...given: Given) => Request;
      /** @throws DtError where the reply is a refusal, or is none of this function's */
      readonly answer: (reply: unknown, ...given: Given) => T;
    }
  : never;

/** What the server computes. */
export type ServerFunctions<Request> = {
  readonly [Name in keyof Operations]?: ServerFunction<NonNullable<Operations[Name]>, Request>;
};

/** A database that computes whole operations: in scripts, or in stored functions. */
export interface Server<Request> extends BackendParts {
  /**
   * Sends one request and resolves with its reply. Sets `sent` of the call when the request leaves, and not before.
   * @param request what is asked for
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  send(request: Request, call: Call): Promise<unknown>;
}

/**
 * A backend that sends one request for each operation.
 * @param others operations that take more than one request
 * @param server sends requests
 * @param functions for each operation, how its request is made and how its reply is read
 * @example
 * class MyStore extends Store {
 *   constructor(options: MyOptions) {
 *     super(serverBackend(new MyServer(options), FUNCTIONS));
 *   }
 * }
 */
export function serverBackend<Request>(
  server: Server<Request>,
  functions: ServerFunctions<Request>,
  others: Partial<Operations> = {},
): Backend {
  const operations = Object.entries(functions as Record<string, ServerFunction<AnyOperation, Request>>).map(
    ([name, { request, answer }]) => {
      const operation = async (...given: unknown[]): Promise<unknown> => {
        const call = given.pop() as Call;
        return answer(await server.send(request(...given), call), ...given);
      };
      return [name, operation] as const;
    },
  );
  return { ...partsOf(server), ...(Object.fromEntries(operations) as unknown as Operations), ...others };
}

type AnyOperation = (...given: [...unknown[], Call]) => Answer<unknown>;

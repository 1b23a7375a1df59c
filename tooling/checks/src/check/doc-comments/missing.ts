import type { Declaration, Module, Node, PublicName } from "./public-api.ts";

/** What a doc comment lacks. */
export type Lack = "first line" | "@example" | "@default" | `@param ${string}`;

/** A public name whose doc comment lacks something, and where its declaration begins. */
export interface Missing {
  readonly name: string;
  readonly lack: Lack;
  readonly module: Module;
  readonly start: number;
}

/** Part of the public surface: of a package, of a class or of an interface. */
interface Documented {
  readonly name: string;
  readonly doc: string | undefined;
  readonly module: Module;
  readonly start: number;
}

interface DocumentedFunction extends Documented {
  readonly params: readonly Node[];
}

/** What is missing in the doc comments of a public name and of its members. */
export function missingIn({ name, declarations }: PublicName): readonly Missing[] {
  const [first] = declarations;
  if (first === undefined) return [];
  const type: string = first.node.type;
  if (type === "FunctionDeclaration" || type === "TSDeclareFunction") {
    const shown = declarations.filter(({ node }) => node.type === "TSDeclareFunction");
    const signatures = shown.length > 0 ? shown : declarations;
    return inFunction(theDocumented(signatures.map((one) => functionOf(name, one, one.node.params))), true);
  }
  const own = firstLine({ name, doc: first.doc, module: first.module, start: first.start });
  if (type === "ClassDeclaration") return [...own, ...inClass(name, first)];
  if (type === "TSInterfaceDeclaration") return [...own, ...inInterface(name, first)];
  return own;
}

function functionOf(
  name: string,
  { doc, module, start }: Omit<Declaration, "node">,
  params: readonly Node[],
): DocumentedFunction {
  return { name, doc, module, start, params };
}

/** Of overloads the first that has a doc comment counts. */
function theDocumented(overloads: readonly DocumentedFunction[]): DocumentedFunction {
  return overloads.find(({ doc }) => doc !== undefined) ?? (overloads[0] as DocumentedFunction);
}

function firstLine({ name, doc = "", module, start }: Documented): readonly Missing[] {
  const [line = ""] = doc.split("\n");
  return line === "" || line.startsWith("@") ? [{ name, lack: "first line", module, start }] : [];
}

function inFunction(documented: DocumentedFunction, withExample: boolean): readonly Missing[] {
  const { name, doc = "", module, start, params } = documented;
  const lacks = params
    .map(paramName)
    .filter((param) => param !== "this" && !new RegExp(`@param ${param}\\b`).test(doc))
    .map((param): Lack => `@param ${param}`);
  if (withExample && !doc.includes("@example")) lacks.push("@example");
  return [...firstLine(documented), ...lacks.map((lack) => ({ name, lack, module, start }))];
}

/** A destructured parameter has no name of its own; declarations call it `options`. */
function paramName(param: Node): string {
  if (param.type === "AssignmentPattern") return paramName(param.left);
  if (param.type === "RestElement") return paramName(param.argument);
  return param.type === "Identifier" ? param.name : "options";
}

function inClass(owner: string, { node, module }: Declaration): readonly Missing[] {
  // An editor shows the comment of the class or interface that is extended or implemented.
  const inherits = node.superClass !== null || (node.implements ?? []).length > 0;
  const methods = new Map<string, DocumentedFunction[]>();
  const missing: Missing[] = [];
  for (const member of node.body.body as Node[]) {
    const name = memberName(member);
    if (name === undefined || member.accessibility === "private" || member.static === true) continue;
    const one = { name: `${owner}.${name}`, doc: module.docBefore(member.start), module, start: member.start };
    if (inherits && one.doc === undefined) continue;
    if (member.kind === "method") {
      const overloads = methods.get(name) ?? [];
      methods.set(name, [...overloads, { ...one, params: member.value.params }]);
    } else if (member.type === "PropertyDefinition" || member.kind === "get") missing.push(...firstLine(one));
  }
  return [...missing, ...[...methods.values()].flatMap((overloads) => inFunction(theDocumented(overloads), false))];
}

function memberName(member: Node): string | undefined {
  const key: Node | undefined = member.key;
  const isNamed = key?.type === "Identifier" && member.computed !== true;
  return isNamed && key.name !== "constructor" ? key.name : undefined;
}

function inInterface(owner: string, { node, module }: Declaration): readonly Missing[] {
  const isOptions = /(Options|Update)$/.test(owner);
  return (node.body.body as Node[]).flatMap((member): readonly Missing[] => {
    const { start } = member;
    const doc = module.docBefore(start);
    if (member.type === "TSCallSignatureDeclaration") return firstLine({ name: `${owner}()`, doc, module, start });
    const name = memberName(member);
    if (name === undefined) return [];
    const one = { name: `${owner}.${name}`, doc, module, start };
    if (member.type === "TSMethodSignature") return inFunction({ ...one, params: member.params }, false);
    const lacksDefault = isOptions && member.optional === true && !doc?.includes("@default");
    return [...firstLine(one), ...(lacksDefault ? [{ name: one.name, lack: "@default" as const, module, start }] : [])];
  });
}

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { parseSync } from "vite";

// biome-ignore lint/suspicious/noExplicitAny: the shape of a field follows from the node's type.
type Field = any;

/** A node of a syntax tree, as the parser gives it, with the fields that are read here. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly params: Field;
  readonly left: Field;
  readonly argument: Field;
  readonly name: Field;
  readonly body: Field;
  readonly accessibility: Field;
  readonly static: Field;
  readonly kind: Field;
  readonly value: Field;
  readonly key: Field;
  readonly computed: Field;
  readonly declaration: Field;
  readonly source: Field;
  readonly specifiers: Field;
  readonly exported: Field;
  readonly local: Field;
  readonly imported: Field;
  readonly id: Field;
  readonly declarations: Field;
  readonly optional: Field;
  readonly superClass: Field;
  readonly implements: Field;
}

/** A public name, and where it is declared. Overloads of a function are several declarations. */
export interface PublicName {
  readonly name: string;
  readonly file: string;
  readonly declarations: readonly Declaration[];
}

/** A declaration, and the doc comment before it; undefined where there is none. */
export interface Declaration {
  readonly node: Node;
  readonly doc: string | undefined;
  readonly module: Module;
  /** Where the statement begins. */
  readonly start: number;
}

/** A file that was read. */
export class Module {
  readonly file: string;
  readonly text: string;
  readonly body: readonly Node[];
  readonly #comments: readonly { readonly type: string; readonly start: number; readonly end: number }[];

  constructor(file: string, text: string) {
    const { program, comments, errors } = parseSync(file, text);
    if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
    this.file = file;
    this.text = text;
    this.body = program.body as unknown as readonly Node[];
    this.#comments = comments;
  }

  /** The doc comment that ends right before a position, without its stars; undefined where there is none. */
  docBefore(start: number): string | undefined {
    // A line for the linter may stand between the two.
    const comment = this.#comments.findLast(({ type, end }) => type === "Block" && end <= start);
    if (comment === undefined || !/^(\s|\/\/.*\n)*$/.test(this.text.slice(comment.end, start))) return undefined;
    return this.#docOf(comment);
  }

  /** The doc comments between two positions, of what is not private. */
  docsWithin(start: number, end: number): readonly string[] {
    return this.#comments
      .filter((comment) => comment.start >= start && comment.end <= end)
      .filter((comment) => !/^\s*(?:#|private\b)/.test(this.text.slice(comment.end)))
      .flatMap((comment) => this.#docOf(comment) ?? []);
  }

  #docOf({ start, end }: { readonly start: number; readonly end: number }): string | undefined {
    const text = this.text.slice(start, end);
    if (!text.startsWith("/**")) return undefined;
    return text
      .slice(3, -2)
      .replace(/^[ \t]*\*[ \t]?/gm, "")
      .trim();
  }
}

const modules = new Map<string, Module>();

function moduleOf(file: string): Module {
  const known = modules.get(file) ?? new Module(file, readFileSync(join(repositoryRoot, file), "utf8"));
  modules.set(file, known);
  return known;
}

/** The entries of a package that other people import, as files; not those for our own packages. */
export function entriesOf(folder: string, ours: ReadonlySet<string>): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8")) as {
    exports: Record<string, unknown>;
  };
  return Object.keys(exports)
    .filter((entry) => entry !== "./package.json" && !ours.has(entry))
    .map((entry) => {
      const name = entry === "." ? "index" : entry.slice(2);
      const files = [`${folder}/src/${name}.ts`, `${folder}/src/${name}/index.ts`];
      const file = files.find((candidate) => existsSync(join(repositoryRoot, candidate)));
      if (file === undefined) throw new Error(`${folder} exports ${entry}, and there is no ${files.join(" or ")}`);
      return file;
    });
}

/** Every name that an entry exports, with the declarations behind it; names of other packages left out. */
export function publicNamesOf(entry: string): readonly PublicName[] {
  return moduleOf(entry).body.flatMap((node): readonly PublicName[] => {
    if (node.type === "ExportAllDeclaration") return publicNamesOf(sourceOf(entry, node.source.value) ?? entry);
    if (node.type !== "ExportNamedDeclaration") return [];
    if (node.declaration) return namesOf(node).map((name) => declared(entry, name));
    const source = node.source ? sourceOf(entry, node.source.value) : entry;
    if (source === undefined) return [];
    return node.specifiers.map((specifier: Node) => ({
      ...declared(source, specifier.local.name),
      name: specifier.exported.name,
    }));
  });
}

function sourceOf(file: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : undefined;
}

/** A name of a file, followed to where it is declared. */
function declared(file: string, name: string): PublicName {
  const module = moduleOf(file);
  const declarations = module.body.flatMap((node): readonly Declaration[] => {
    const isNamed = namesOf(node).includes(name);
    const { type } = node;
    const inner: Node = type === "ExportNamedDeclaration" ? node.declaration : node;
    return isNamed ? [{ node: inner, doc: module.docBefore(node.start), module, start: node.start }] : [];
  });
  if (declarations.length > 0) return { name, file, declarations };
  for (const node of module.body) {
    if (node.type !== "ExportNamedDeclaration" && node.type !== "ImportDeclaration") continue;
    const specifier = (node.specifiers as Node[] | undefined)?.find(
      (candidate) => (candidate.exported ?? candidate.local)?.name === name,
    );
    const source = node.source && specifier ? sourceOf(file, node.source.value) : undefined;
    if (source !== undefined && specifier)
      return { ...declared(source, (specifier.imported ?? specifier.local).name), name };
  }
  return { name, file, declarations: [] };
}

/** The names that a statement declares. */
function namesOf(statement: Node): readonly string[] {
  const node: Node | null = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (!node) return [];
  if (node.type === "VariableDeclaration") return node.declarations.map((one: Node) => one.id.name);
  return node.id?.name && !node.type.startsWith("Import") ? [node.id.name] : [];
}

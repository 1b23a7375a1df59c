import { join } from "node:path";
import { repositoryRoot, sourcesOf, workspacePackages } from "@dt-tooling/bootstrap";
import { type Application, Converter, PageEvent, type Reflection, ReflectionKind } from "typedoc";

/** An import name whose exports the API reference describes. */
export interface ApiEntry {
  /** As a program imports it: `@dt/http/server`. */
  readonly name: string;
  /** Its place on the site: `api/http/server`. */
  readonly slug: string;
  /** Its source file. */
  readonly source: string;
}

/** For the packages of this repository alone: they promise nothing to a program that imports them. */
const OURS = /^@dt\/core\/(?:internal|ledger)$/;

/** The public import names of all packages that are published as libraries, by name. */
export function apiEntries(): ApiEntry[] {
  const packages = workspacePackages().filter(
    ({ folder, manifest }) => folder.startsWith("packages/") && !manifest.private,
  );
  return packages.flatMap(({ path, manifest }) =>
    [...sourcesOf(manifest)]
      .filter(([name]) => !OURS.test(name))
      .map(([name, source]) => ({ name, slug: `api/${name.slice("@dt/".length)}`, source: join(path, source) })),
  );
}

/** How starlight-typedoc writes a page of the API reference for each entry, from the comments of its exports. */
export function apiOptions(entries: readonly ApiEntry[], repository: string | undefined): object {
  return {
    entryPoints: entries.map(({ source }) => source),
    tsconfig: join(import.meta.dirname, "../typedoc.tsconfig.json"),
    output: "api",
    typeDoc: {
      // The gate of the repository checks types, with the compiler that it pins.
      skipErrorChecking: true,
      logLevel: "Error",
      plugin: [importNames],
      basePath: join(repositoryRoot, "packages"),
      displayBasePath: join(repositoryRoot, "packages"),
      router: "module",
      outputFileStrategy: "modules",
      ...(repository === undefined
        ? { disableSources: true }
        : { disableGit: true, sourceLinkTemplate: `${repository}/packages/{path}#L{line}`, gitRevision: "HEAD" }),
      // A table says in a line what a list says in ten.
      interfacePropertiesFormat: "table",
      classPropertiesFormat: "table",
      typeAliasPropertiesFormat: "table",
      enumMembersFormat: "table",
      parametersFormat: "table",
      propertyMembersFormat: "table",
      typeDeclarationFormat: "table",
      tableColumnSettings: { hideSources: true, hideInherited: true, hideOverrides: true, hideModifiers: true },
      useCodeBlocks: true,
      // What packages inherit from JavaScript itself.
      excludeExternals: true,
      // TypeDoc numbers equal headings in an order of its own; anchors of its own do not depend on it.
      useHTMLAnchors: true,
      anchorPrefix: "ref-",
      entryFileName: "index",
    },
  };
}

/** Names modules as programs import them, where TypeDoc would name them by their folders. */
function importNames(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = module.name.replace(/\/src(?=\/|$)/, "");
  });
  app.renderer.on(
    PageEvent.END,
    (page: PageEvent) => {
      const model = page.model as Reflection;
      const root = model.kindOf(ReflectionKind.Project);
      const name = root ? "API reference" : `@dt/${model.name}`;
      const matter = {
        title: name,
        description: `API reference: every export of ${name}.`,
        tableOfContents: { maxHeadingLevel: 3 },
      };
      const [, body] = /^---\n[\s\S]*?\n---\n([\s\S]*)$/.exec(page.contents ?? "") ?? [];
      if (body === undefined) return;
      const lines = Object.entries({ ...matter, editUrl: false, prev: false, next: false });
      const front = lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join("\n");
      // What explains comes before what lists, in the search.
      page.contents = `---\n${front}\n---\n\n<div data-pagefind-weight="0.2">\n\n${body}\n\n</div>\n`;
    },
    -1000,
  );
}

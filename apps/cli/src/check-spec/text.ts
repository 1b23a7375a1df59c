import type { Difference, FieldReport, ResourceReport, SpecProblem, SpecReport, VertexReport } from "@dt/numaflow";

/** What `dt check-spec` prints of a report. */
export function textOf({ resources, skipped }: SpecReport): string {
  const problems = resources.flatMap((resource) => [
    ...resource.problems,
    ...resource.vertices.flatMap(({ limit }) => limit?.problems ?? []),
  ]);
  const parts = [
    ...resources.map(resourceText),
    ...skipped.map(({ document, kind }) => `Document ${document}: ${kind}, which has no limits\n`),
    differencesText(resources.flatMap(({ vertices }) => vertices)),
    problems.length === 0 ? "No problems.\n" : `${counted(problems.length, "problem")}.\n`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function resourceText({ kind, name, namespace, vertices, problems }: ResourceReport): string {
  const of = namespace === undefined ? "" : ` in the namespace ${namespace}`;
  const lines = [`${kind} ${name}${of}`, ...problems.map(problemLine), ...vertices.flatMap(vertexLines)];
  return `${lines.join("\n")}\n`;
}

function vertexLines({ vertex, role, limit }: VertexReport): readonly string[] {
  const title = `  ${vertex} (${role}):`;
  if (limit === undefined) return [`${title} no limit`];
  const { options, messagesPerToken, fields, problems } = limit;
  if (problems.length > 0) return [title, ...problems.map(problemLine)];
  const tokens = counted(options.max, messagesPerToken === 1 ? "message" : "read");
  const size = messagesPerToken === 1 ? "" : ` of up to ${messagesPerToken} messages`;
  return [
    `${title} ${tokens}${size} a second`,
    `    its name in the store is ${JSON.stringify(options.name)}`,
    ...table(fields),
  ];
}

function table(fields: readonly FieldReport[]): readonly string[] {
  const rows = [
    ["field", "value", "from", "becomes"],
    ...fields.map((one) => [one.field, one.value, one.from, one.becomes]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  return rows.map((row) => `    ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`);
}

function problemLine({ field, message }: SpecProblem): string {
  return `    problem: ${field}: ${message}`;
}

/** Each difference once, with the vertices that have it. */
function differencesText(vertices: readonly VertexReport[]): string {
  const concerned = new Map<string, { readonly difference: Difference; readonly names: string[] }>();
  for (const { vertex, limit } of vertices)
    for (const difference of limit?.problems.length === 0 ? limit.differences : []) {
      const known = concerned.get(difference.message);
      if (known === undefined) concerned.set(difference.message, { difference, names: [vertex] });
      else known.names.push(vertex);
    }
  if (concerned.size === 0) return "";
  const lines = [...concerned.values()].map(
    ({ difference, names }) => `  ${difference.about} (${names.join(", ")}): ${difference.message}`,
  );
  return `What differs from Numaflow, or surprises in it\n${lines.join("\n")}\n`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

import type { Sizes } from "./measure.ts";

/** Kilobytes as shown: of 1,000 bytes, as npm and package sites count. */
const kB = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

/** A measured program as a user writes it, in code marks. */
function asImport(program: string): string {
  return program.replaceAll("export *", "import * as core").replaceAll("export", "import").replaceAll("; ", "`, `");
}

/** The page of a record of sizes. */
export function sizesPage({ bundled, packed }: Sizes): string {
  const [[, throttle = 0] = ["", 0]] = Object.entries(bundled);
  return `# Sizes

A program that imports \`createThrottle\` has ${kB(throttle)} of \`@dt/core\` in its bundle, minified and gzipped.
\`@dt/core\` has no dependencies.

| a program with | bundled, minified, gzipped |
|---|--:|
${Object.entries(bundled)
  .map(([program, bytes]) => `| \`${asImport(program)}\` | ${kB(bytes)} |`)
  .join("\n")}

Other packages, such as \`ioredis\`, are not counted. A copy of the source lies beside the scripts of each package, for
stack traces. It is in the tarball and never in a bundle.

| package | packed |
|---|--:|
${Object.entries(packed)
  .map(([name, bytes]) => `| \`${name}\` | ${kB(bytes)} |`)
  .join("\n")}

\`npm run -s sizes\` measures, and writes this page. A test fails when a bundle is more than 3% over the record, or a
tarball more than 5%.
`;
}

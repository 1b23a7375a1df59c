import { delimiter } from "node:path";

/**
 * The environment of everything started here: the given folders first on PATH, and none of the variables that npm sets for
 * its own scripts. (Those would make pnpm and nested npm calls behave as if the user had passed their values as options.)
 *
 * @param {readonly string[]} pathFirst
 * @returns {NodeJS.ProcessEnv}
 */
export function childEnvironment(pathFirst) {
  const env = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!isSetByNpm(name)) env[name] = value;
  }
  env.PATH = [...pathFirst, process.env.PATH ?? ""].join(delimiter);
  env.COREPACK_ENABLE_DOWNLOAD_PROMPT = "0";
  env.TURBO_TELEMETRY_DISABLED = "1";
  return env;
}

/** npm passes only these on; a registry, proxy or cache that somebody chose by environment variable stays. */
function isSetByNpm(name) {
  return (
    /^npm_(?:package|lifecycle)_/.test(name) ||
    /^npm_(?:command|execpath|node_execpath)$/.test(name) ||
    /^npm_config_(?:global_prefix|init_module|local_prefix|loglevel|node_gyp|noproxy|npm_version|prefix|user_agent)$/.test(
      name,
    )
  );
}

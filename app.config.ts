// The composition root: what this installation is made of. It reads the environment, once.
import path from 'node:path'
import { fetchUrl } from './plugins/fetch-url/plugin.ts'
import { mapProducts } from './plugins/map-products/plugin.ts'
import { notify } from './plugins/notify/plugin.ts'
import { validateFile } from './plugins/validate-file/plugin.ts'
import { defineConfig, readEnvironment, type Config } from './server/config.ts'
import { importApi } from './workflows/import-api.ts'

/** Throws `ConfigError` that names everything missing or wrong. */
export function appConfig(variables: Readonly<Record<string, string | undefined>> = process.env): Config {
  const environment = readEnvironment(variables)
  return defineConfig({
    environment,
    plugins: [fetchUrl, validateFile, mapProducts, notify],
    workflows: [importApi],
    storage: {
      primary: { kind: 'disk', folder: path.join(environment.dataDir, 'files') },
      backup: { kind: 'disk', folder: path.join(environment.dataDir, 'backup') },
    },
  })
}

// node web/command/build.ts FOLDER: writes the package of the command and the client, without the
// address of an installation, which the server adds when it serves it. A bundler and no compiler:
// a checkout without its development packages has none.
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

const HERE = import.meta.dirname
const ROOT = path.resolve(HERE, '../..')
const PACKAGES = path.join(ROOT, 'node_modules')
/** One file of each: what they share is in both, so that no file needs another. */
const ENTRIES = { command: 'main.ts', client: 'client.ts' }
/** Types alone, which are declarations as they are. */
const DECLARATIONS = {
  'client.d.ts': path.join(HERE, 'types.ts'),
  'paths.d.ts': path.join(HERE, 'paths.ts'),
  'api.d.ts': path.join(ROOT, 'web/shell/client/api.gen.ts'),
  'openapi-fetch.d.ts': path.join(PACKAGES, 'openapi-fetch/dist/index.d.mts'),
  'openapi-typescript-helpers.d.ts': path.join(
    PACKAGES,
    'openapi-typescript-helpers/dist/index.d.mts',
  ),
}
/** Where the declarations find each other in the package. */
const MOVED = {
  './paths.ts': './paths.js',
  '../shell/client/api.gen.ts': './api.js',
  'openapi-fetch': './openapi-fetch.js',
  'openapi-typescript-helpers': './openapi-typescript-helpers.js',
}

async function bundle(name: string, entry: string, folder: string): Promise<void> {
  await build({
    configFile: false,
    root: HERE,
    logLevel: 'error',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: path.join(HERE, entry),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        output: { entryFileNames: `${name}.js`, codeSplitting: false },
      },
    },
  })
}

async function writeDeclarations(folder: string): Promise<void> {
  for (const [name, file] of Object.entries(DECLARATIONS)) {
    let text = await readFile(file, 'utf8')
    for (const [from, to] of Object.entries(MOVED))
      text = text.replaceAll(`from '${from}'`, `from '${to}'`)
    await writeFile(path.join(folder, name), text)
  }
}

async function manifest(folder: string): Promise<object> {
  const text = await readFile(path.join(ROOT, 'package.json'), 'utf8')
  const { version, license } = JSON.parse(text) as { version: string; license: string }
  const names = (await readdir(folder)).toSorted()
  const hash = createHash('sha256')
  for (const name of names) hash.update(name).update(await readFile(path.join(folder, name)))
  return {
    name: 'stevedore',
    version,
    description: 'Commands and a typed client for an installation of Stevedore',
    license,
    type: 'module',
    engines: { node: '>=20' },
    bin: { stevedore: './command.js' },
    exports: { '.': { types: './client.d.ts', default: './client.js' } },
    stevedore: { url: '', build: hash.digest('hex').slice(0, 16) },
  }
}

async function buildCommand(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, entry] of Object.entries(ENTRIES)) await bundle(name, entry, folder)
  await writeDeclarations(folder)
  await cp(path.join(HERE, 'package/README.md'), path.join(folder, 'README.md'))
  await cp(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'))
  // Its code is in both files.
  await cp(path.join(PACKAGES, 'openapi-fetch/LICENSE'), path.join(folder, 'LICENSE.openapi-fetch'))
  const text = JSON.stringify(await manifest(folder), null, 2) + '\n'
  await writeFile(path.join(folder, 'package.json'), text)
}

const [, , folder] = process.argv
if (folder !== undefined)
  await buildCommand(path.resolve(folder)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })

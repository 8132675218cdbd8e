// A copy of the product with the samples of test/features/, as a contributor adds them: `wishes`, a
// feature with a page, and `parcels`, a channel with its own bytes.
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './flows/server.ts'

const SAMPLES = path.join(import.meta.dirname, 'features')
const COPIED = [
  'server',
  'web',
  'plugins',
  'workflows',
  'migrations',
  'app.config.ts',
  'package.json',
]

const BUILT = path.join(ROOT, 'web', 'dist')

/** Adds an import, and an entry to the list that begins with `first`. */
async function list(file: string, name: string, from: string, first: string): Promise<void> {
  const code = await readFile(file, 'utf8')
  const listed = `import { ${name} } from '${from}'\n${code.replace(first, `${first}\n  ${name},`)}`
  if (!code.includes(first)) throw new Error(`${file} has no list that begins with ${first}`)
  await writeFile(file, listed)
}

/** As `npm run api-types` writes them. */
async function addTypes(file: string): Promise<void> {
  const code = await readFile(file, 'utf8')
  const wish = '{ id: string; filename: string; granted_at: string | null }'
  const endpoints = `
      'GET /api/wishes': { answer: { data: ${wish}[]; next_cursor: string | null } }
      'POST /api/wishes': { body: { filename: string }; answer: ${wish} }`
  await writeFile(file, code.replace('    Endpoints: {', `    Endpoints: {${endpoints}`))
}

/** `into`: below the checkout, so that the linters ignore it. */
export async function copyProduct(into: string): Promise<void> {
  await rm(into, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  for (const name of COPIED)
    await cp(path.join(ROOT, name), path.join(into, name), {
      recursive: true,
      filter: (file) => !file.startsWith(BUILT) && !/\.test\.tsx?$/.test(file),
    })
  await symlink(path.join(ROOT, 'node_modules'), path.join(into, 'node_modules'))
}

/** Its folder on each side, a migration, and its place in the two lists. */
export async function addSampleFeature(house: string): Promise<void> {
  const place = (...parts: string[]) => path.join(house, ...parts)
  const sample = path.join(SAMPLES, 'wishes')
  for (const side of ['server', 'web'])
    await cp(path.join(sample, side), place(side, 'features', 'wishes'), { recursive: true })
  await cp(path.join(sample, 'migration.ts'), place('migrations', '9999_wishes.ts'))
  const from = './features/wishes/feature.ts'
  await list(place('server', 'features.ts'), 'wishesFeature', from, '  homeFeature,')
  await addTypes(place('web', 'shell', 'client', 'api.gen.ts'))
  await list(place('web', 'features.ts'), 'wishes', from, '  home,')
}

/** Its folder, the plugin that takes its bytes, its workflow, a migration, and its list entries. */
export async function addSampleChannel(house: string): Promise<void> {
  const place = (...parts: string[]) => path.join(house, ...parts)
  const sample = (name: string) => path.join(SAMPLES, 'parcels', name)
  await cp(sample('server'), place('server', 'features', 'parcels'), { recursive: true })
  await cp(sample('take-parcel'), place('plugins', 'take-parcel'), { recursive: true })
  await cp(sample('import-parcels.ts'), place('workflows', 'import-parcels.ts'))
  await cp(sample('migration.ts'), place('migrations', '9998_parcels.ts'))
  const feature = './features/parcels/feature.ts'
  await list(place('server', 'features.ts'), 'parcelsFeature', feature, '  homeFeature,')
  const config = place('app.config.ts')
  await list(config, 'takeParcel', './plugins/take-parcel/plugin.ts', '  takeDrop,')
  await list(config, 'importParcels', './workflows/import-parcels.ts', '  importDrop,')
  await list(config, 'parcelChannel', './server/features/parcels/channel.ts', '  dropChannel,')
}

/** The files that `change` adds to the house and edits in it, as paths from its root. */
export async function changesBy(
  change: () => Promise<void>,
  house: string,
): Promise<{ added: string[]; edited: string[] }> {
  const before = await contentsOf(house)
  await change()
  const after = await contentsOf(house)
  const names = [...after.keys()]
  return {
    added: names.filter((name) => !before.has(name)),
    edited: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
  }
}

async function contentsOf(house: string): Promise<Map<string, string>> {
  const names = await Promise.all(
    COPIED.map(async (name) => {
      if (path.extname(name) !== '') return [name]
      const below = await readdir(path.join(house, name), {
        recursive: true,
        withFileTypes: true,
      })
      return below.flatMap((entry) =>
        entry.isFile() ? [path.relative(house, path.join(entry.parentPath, entry.name))] : [],
      )
    }),
  )
  const contents = names
    .flat()
    .map(async (name) => [name, await readFile(path.join(house, name), 'latin1')] as const)
  return new Map(await Promise.all(contents))
}

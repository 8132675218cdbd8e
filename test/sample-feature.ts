// A copy of the product with the feature of test/features/wishes/, as a contributor adds one: its
// folder on each side, a migration, and its place in the two lists.
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './flows/server.ts'

const SAMPLE = path.join(import.meta.dirname, 'features', 'wishes')
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

/** Adds the feature to a list: its import, and the entry. */
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
export async function copyWithSampleFeature(into: string): Promise<void> {
  await rm(into, { recursive: true, force: true })
  await mkdir(into, { recursive: true })
  const place = (...parts: string[]) => path.join(into, ...parts)
  for (const name of COPIED)
    await cp(path.join(ROOT, name), place(name), {
      recursive: true,
      filter: (file) => !file.startsWith(BUILT) && !/\.test\.tsx?$/.test(file),
    })
  await symlink(path.join(ROOT, 'node_modules'), place('node_modules'))
  for (const side of ['server', 'web'])
    await cp(path.join(SAMPLE, side), place(side, 'features', 'wishes'), { recursive: true })
  await cp(path.join(SAMPLE, 'migration.ts'), place('migrations', '9999_wishes.ts'))
  const from = './features/wishes/feature.ts'
  await list(place('server', 'features.ts'), 'wishesFeature', from, '  homeFeature,')
  await addTypes(place('web', 'shell', 'client', 'api.gen.ts'))
  await list(place('web', 'features.ts'), 'wishes', from, '  home,')
}

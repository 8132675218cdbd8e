// The files of features (server/features/, web/features/): their names, and what other features
// import of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { SERVER_OFFERS, WEB_OFFERS } from '../lint/offers.ts'

const ROOT = path.join(import.meta.dirname, '..')
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g
const CODE = /(?<!\.test|\.soak|\.gen|\.d)\.tsx?$/

const codeIn = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => CODE.test(name) && !/(?:^|\/)(?:dist|node_modules)/.test(name))
    .map((name) => path.posix.join(folder, name))

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

/** The feature of a file, and the file's path in it. */
function placeOf(file: string): { side: string; feature: string; inside: string } | null {
  const [side = '', features, feature = '', ...inside] = file.split('/')
  if (features !== 'features' || inside.length === 0) return null
  return { side, feature, inside: inside.join('/') }
}

const files = ['server', 'web'].flatMap((side) => codeIn(`${side}/features`))

test('a file name is unique within its feature', () => {
  const places = Map.groupBy(
    files.filter((file) => placeOf(file)),
    (file) => {
      const { side, feature } = placeOf(file)!
      return `${side}/features/${feature}: ${path.basename(file).replace(/\.tsx?$/, '')}`
    },
  )
  expect(places.size).toBeGreaterThan(800)
  expect([...places.values()].filter((same) => same.length > 1)).toEqual([])
})

test('every file that a feature offers exists, and another feature imports it', () => {
  const imported = new Set(
    files.flatMap((file) =>
      [...read(file).matchAll(IMPORT)].flatMap(([, to]) => {
        const target = path.posix.join(path.posix.dirname(file), to!)
        const [from, place] = [placeOf(file), placeOf(target)]
        return from && place && from.feature !== place.feature ? [target] : []
      }),
    ),
  )
  const offered = Object.entries({ server: SERVER_OFFERS, web: WEB_OFFERS }).flatMap(
    ([side, offers]) =>
      Object.entries(offers).flatMap(([feature, names]) =>
        names.map((name) => `${side}/features/${feature}/${name}`),
      ),
  )
  expect(offered.length).toBeGreaterThan(100)
  expect(offered.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([])
  expect(offered.filter((file) => !imported.has(file))).toEqual([])
})

const CHANNEL = /(['"`])(?:cloud|drop)\1/

/** Why these files name `'cloud'` or `'drop'` outside of the feature of that name. */
const MAY_NAME_CHANNELS: Readonly<Record<string, string>> = {
  // The plugins that take a channel's bytes: they belong to it.
  'plugins/sync-cloud/plugin.ts': 'the port of its channel',
  'plugins/take-drop/plugin.ts': 'the port and the sources of its channel',
  // The drop server is a role of a process, with settings and its own folder.
  'server/core/configuration/drop-settings.ts': 'the role of a process',
  'server/core/configuration/environment-schema.ts': 'the role of a process',
  'server/core/configuration/environment.ts': 'the role of a process',
  'server/main.ts': 'the role of a process',
  'server/start.ts': 'the role of a process',
  'server/startup/drop-child.ts': 'the role of a process',
  'server/startup/staging-metrics.ts': 'the folders of unfinished files',
  // Made-up history of the demo shop.
  'server/demo/sample/many-files.ts': 'files of the sample shop',
  'server/demo/sample/past-days.ts': 'figures of the sample shop',
  // Conditions name the channel that a file came from.
  'server/files/facts.ts': 'the source of a file',
  'web/shell/files/condition-texts.ts': 'the choices of a condition',
  // Another word: what a failed item does to the rest (`drop`, `keep`, `stop`).
  'plugins/contract/plugin.ts': 'a failure policy',
  'server/engine/failure.ts': 'a failure policy',
  'server/engine/steps.ts': 'a failure policy',
  'server/features/workflows/record.ts': 'a failure policy',
  'server/features/workflows/sources.ts': 'what triggers name: the kinds of sources',
  'web/features/workflows/draft.ts': 'a failure policy',
}

test('no code names a channel with its own bytes, except its feature', () => {
  const all = ['server', 'plugins', 'workflows', 'web'].flatMap(codeIn)
  const naming = all.filter((file) => {
    const feature = placeOf(file)?.feature
    return feature !== 'cloud' && feature !== 'drop' && CHANNEL.test(withoutComments(read(file)))
  })
  expect(naming.toSorted()).toEqual(Object.keys(MAY_NAME_CHANNELS).toSorted())
})

const withoutComments = (code: string) => code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

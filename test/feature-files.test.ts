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

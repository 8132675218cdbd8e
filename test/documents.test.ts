// What documents name exists: links lead to files and headings, files and folders are where they are
// said to be, and each page of docs/decisions/ is named by the code that it explains.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..')
/** Not of the repository: installed, built or made by a run. */
const IGNORED = /^(?:\.git|\.test|node_modules|data|web\/dist[\w-]*)$/

const filesIn = (folder: string): string[] =>
  readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    if (IGNORED.test(file)) return []
    return entry.isDirectory() ? filesIn(file) : [file]
  })
const files = filesIn('.')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const documents = files
  .filter((file) => file.endsWith('.md') && !file.startsWith('test/'))
  .map((file) => ({ file, text: read(file) }))

/** Its files and folders, and each part of their paths from a folder on: `features/packs/`. */
const places = new Set<string>()
for (const file of files) {
  const parts = file.split('/')
  for (let from = 0; from < parts.length; from++)
    for (let to = from + 1; to <= parts.length; to++) places.add(parts.slice(from, to).join('/'))
}

/** The address of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/[`*]|\]\([^)]*\)|\[/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** A text without blocks of code. */
const proseOf = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '')

const anchorsOf = (file: string) =>
  [...proseOf(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!))

/** `file: link` of each link that leads nowhere. */
function brokenLinks(file: string, text: string): string[] {
  const links = [...proseOf(text).matchAll(/\]\((?!\w+:)([^)\s]*)\)/g)].map(([, to]) => to!)
  return links.flatMap((link) => {
    const [to = '', anchor] = link.split('#')
    const target = to === '' ? file : path.posix.join(path.posix.dirname(file), to)
    if (!places.has(target.replace(/\/$/, ''))) return [`${file}: ${link}`]
    return anchor === undefined || anchorsOf(target).includes(anchor) ? [] : [`${file}: ${link}`]
  })
}

/** The documents about the code; those for merchants and operators name files of theirs. */
const ABOUT_CODE = /^[^/]+\.md$|^docs\/(?!operators|merchants|deploy)/
/** Names that a reader replaces, or that are made by a build or a start. */
const MADE_UP = new Set([
  'plugins/verb-noun/plugin.ts',
  'plugins/take-name/',
  'server/features/name/',
  'server/features/name/feature.ts',
  'web/features/name/',
  'web/features/name/feature.ts',
  'foo.ts',
  'pages.json',
  'data/',
])
/** `server/main.ts`, `features/packs/`, `claim.ts`. */
const NAMED =
  /`(?:\.{1,2}\/)*((?:[\w.-]+\/)+|(?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|js|json|md|hbs|ya?ml))`/g

/** `file: name` of each file or folder that does not exist. */
const missing = (file: string, text: string): string[] =>
  [...proseOf(text).matchAll(NAMED)]
    .map(([, name]) => name!)
    .filter((name) => !MADE_UP.has(name) && !places.has(name.replace(/\/$/, '')))
    .map((name) => `${file}: ${name}`)

/** A path from the root, in a comment. */
const COMMENTED =
  /(?:\/\/|^ *\/?\*).*?((?<![\w./-])(?:server|plugins|workflows|web|migrations|test|lint|docs)\/[\w./-]+\.(?:tsx?|js|json|md|hbs))/gm

const DECISION = /docs\/decisions\/(\d{4})/g
const code = files.filter((file) => /\.(?:tsx?|js)$/.test(file))

/** The numbers of the pages that a file names. */
const decisionsIn = (file: string) =>
  [...read(file).matchAll(DECISION)].map(([, number]) => number!)

test('the checks find what is wrong', () => {
  const text =
    '[a](b.md) [c](docs/scale.md#d) [e](README.md#for-operators) `server/none.ts` `main.ts`'
  expect(brokenLinks('README.md', text)).toEqual(['README.md: b.md', 'README.md: docs/scale.md#d'])
  expect(missing('README.md', text)).toEqual(['README.md: server/none.ts'])
  expect(anchorOf('Mail: `SMTP`, and [more](x.md)')).toBe('mail-smtp-and-more')
})

test('every link of a document leads to a file, and to a heading of it', () => {
  expect(documents.length).toBeGreaterThan(80)
  expect(documents.flatMap(({ file, text }) => brokenLinks(file, text))).toEqual([])
})

test('every file and folder that a document about the code names exists', () => {
  const about = documents.filter(({ file }) => ABOUT_CODE.test(file))
  expect(about.length).toBeGreaterThan(40)
  expect(about.flatMap(({ file, text }) => missing(file, text))).toEqual([])
})

test('every path that a comment names exists', () => {
  const wrong = code.flatMap((file) =>
    [...read(file).matchAll(COMMENTED)]
      .filter(([, name]) => !places.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  )
  expect(wrong).toEqual([])
})

test('every page of decisions is named by code, and every named page exists', () => {
  const pages = files.flatMap((file) => /^docs\/decisions\/(\d{4})-/.exec(file)?.[1] ?? [])
  expect(pages.length).toBeGreaterThan(30)
  const named = new Set(code.flatMap(decisionsIn))
  expect([...named].toSorted()).toEqual(pages.toSorted())
})

test('the list of decisions has every page, under its title', () => {
  const titles = documents.flatMap(({ file, text }) => {
    const [, name] = /^docs\/decisions\/(\d{4}-.*)$/.exec(file) ?? []
    return name ? [`- [${/^# (.*)/.exec(text)![1]}](${name})`] : []
  })
  const list = read('docs/decisions/README.md').match(/^- .*$/gm)
  expect(list).toEqual(
    titles.toSorted((a, b) => Number(a.slice(3, 6)) - Number(b.slice(3, 6)) || 0),
  )
})

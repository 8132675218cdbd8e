// Splits a document. A part has its pages with their links and form fields, and what else of the
// document belongs to them.
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Warning } from '../contract/index.ts'
import { Refusal, say } from '../contract/sandbox.ts'
import { carryParts } from './carry.ts'
import { moveCarried } from './carried.ts'
import { encryptionArguments } from './finish.ts'
import { isDictionary, type Objects } from './objects.ts'
import { checkResult } from './open.ts'
import type { OpenedDocument } from './opened.ts'
import { readWhole } from './pages.ts'
import { HERE, runQpdf } from './qpdf.ts'
import type { SplitTask } from './tasks.ts'

interface Part {
  file: string
  /** The part's pages, `1-3`. */
  pages: string
}

const MAX_PARTS = 2000
// The part of a child's time for finishing the parts; the rest is for the steps before it.
const CHECK_MS = 20_000

/**
 * Splits a document, which `openSound` must have opened.
 * @returns the parts, and how many of them are finished
 * @throws `Refusal`: `pdf_page_out_of_range`, `pdf_damaged`
 */
export async function splitDocument(
  opened: OpenedDocument,
  { folder, wanted }: SplitTask,
): Promise<{ parts: Part[]; warnings: Warning[]; checked: number }> {
  const whole = await readWhole(folder, opened)
  const pages = whole.pages.length
  const count = 'every' in wanted ? Math.ceil(pages / wanted.every) : wanted.ranges.length
  if (count > MAX_PARTS)
    throw new Refusal(
      'pdf_page_out_of_range',
      say('This would make {count} documents: at most {most} can be made from one', {
        count,
        most: MAX_PARTS,
      }),
    )
  const ranges =
    'every' in wanted ? rangesOfEvery(wanted.every, pages) : rangesIn(wanted.ranges, pages)
  const carrying = await carryParts(folder, opened, whole, ranges)
  const finishing: Finishing = {
    repaired: opened.repaired,
    carries: carrying.carries,
    encryptedLike: opened.encryptedLike,
  }
  await writeFile(path.join(folder, FINISHING), JSON.stringify(finishing))
  const packing = [
    `--remove-unreferenced-resources=${borrowsResources(whole.objects) ? 'no' : 'auto'}`,
    ...(carrying.carries ? [] : finishedLike(opened)),
  ]
  const files = await ('every' in wanted
    ? cutEvery(folder, carrying.opened, wanted.every, packing)
    : cutRanges(folder, carrying.opened, ranges, packing))
  const parts = ranges.map((range, at) => ({ file: files[at] ?? '', pages: textOf(range) }))
  const checked = await finishParts(folder, files, opened.password)
  return { parts, warnings: carrying.warnings, checked }
}

/** What must still be done with the parts, for children that continue with them. */
interface Finishing extends Pick<OpenedDocument, 'repaired' | 'encryptedLike'> {
  /** Whether their pages carry the entries of their catalogues. */
  carries: boolean
}

const FINISHING = 'finishing.json'

/**
 * Finishes parts while there is time, at least one: moves what their pages carry, and reads them
 * again. Returns their number. Throws `Refusal` `pdf_damaged`.
 */
export async function finishParts(
  folder: string,
  files: readonly string[],
  password = '',
): Promise<number> {
  const until = performance.now() + CHECK_MS
  const text = await readFile(path.join(folder, FINISHING), 'utf8')
  const finishing = JSON.parse(text) as Finishing
  let checked = 0
  for (const file of files) {
    await finishPart(folder, file, { ...finishing, password })
    checked++
    if (performance.now() > until) break
  }
  return checked
}

async function finishPart(
  folder: string,
  file: string,
  finishing: Finishing & { password: string },
): Promise<void> {
  if (finishing.carries) {
    const cut = `cut-${file}`
    await rename(path.join(folder, file), path.join(folder, cut))
    const part = Number(/\d+/.exec(file)?.[0])
    const args = finishedLike(finishing)
    await moveCarried(folder, { made: cut, to: file, part, documents: 1, args })
    await rm(path.join(folder, cut))
  }
  await checkResult(folder, file, finishing)
}

/** qpdf's arguments for a part that is not changed any more. */
const finishedLike = (opened: Pick<OpenedDocument, 'encryptedLike' | 'password'>) => [
  '--object-streams=generate',
  ...encryptionArguments(opened),
]

const rangesOfEvery = (every: number, pages: number): Range[] =>
  Array.from({ length: Math.ceil(pages / every) }, (_, at) => ({
    first: at * every + 1,
    last: Math.min((at + 1) * every, pages),
  }))

/** Returns the parts' files in their order, which have the numbers of the parts from 0 on. */
async function cutEvery(
  folder: string,
  opened: OpenedDocument,
  every: number,
  packing: readonly string[],
): Promise<string[]> {
  const to = `${HERE}/cut-%d.pdf`
  await runQpdf(folder, [`${HERE}/${opened.file}`, `--split-pages=${every}`, ...packing, to])
  const files = (await readdir(folder)).filter((name) => name.startsWith('cut-')).sort()
  const named = files.map((file, at) => [file, `part-${at}.pdf`] as const)
  for (const [file, name] of named) await rename(path.join(folder, file), path.join(folder, name))
  return named.map(([, name]) => name)
}

async function cutRanges(
  folder: string,
  opened: OpenedDocument,
  ranges: readonly Range[],
  packing: readonly string[],
): Promise<string[]> {
  const files: string[] = []
  for (const [at, range] of ranges.entries()) {
    const file = `part-${at}.pdf`
    const source = ['--empty', '--pages', `${HERE}/${opened.file}`, textOf(range), '--']
    await runQpdf(folder, [...source, ...packing, `${HERE}/${file}`])
    files.push(file)
  }
  return files
}

/**
 * Whether a font, a pattern or a form draws with the resources of its page, which qpdf would treat
 * as unused. Otherwise parts leave out resources that only other parts' pages use.
 */
function borrowsResources({ values, resolve }: Objects): boolean {
  return [...values.values()].some((value) => {
    if (!isDictionary(value) || resolve(value['/Resources']) !== null) return false
    const subtype = resolve(value['/Subtype'])
    return subtype === '/Type3' || subtype === '/Form' || resolve(value['/PatternType']) === 1
  })
}

// Page ranges: `3`, `1-3`, or `7-` to the end.

export interface Range {
  first: number
  last: number
}

/**
 * Parses page ranges of a document with this many pages.
 * @throws `Refusal` `pdf_page_out_of_range`, which lists all ranges outside it
 */
function rangesIn(texts: readonly string[], pages: number): Range[] {
  const parsed = texts.map((text) => ({ text, range: parseRange(text, pages) }))
  const wrong = parsed.flatMap(({ text, range }) => (isIn(range, pages) ? [] : [text]))
  if (wrong.length === 0) return parsed.map(({ range }) => range)
  throw new Refusal(
    'pdf_page_out_of_range',
    say(
      'The document has {count, plural, one {# page} other {# pages}}: there is no {ranges} in it',
      { count: pages, ranges: wrong.join(', ').slice(0, 200) },
    ),
  )
}

const textOf = ({ first, last }: Range): string =>
  first === last ? String(first) : `${first}-${last}`

function parseRange(text: string, pages: number): Range {
  const [first = '', last = first] = text.split('-')
  return { first: Number(first), last: last === '' ? pages : Number(last) }
}

const isIn = ({ first, last }: Range, pages: number) => first >= 1 && first <= last && last <= pages

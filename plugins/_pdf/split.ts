// Splits a document. A part has its pages with their links and form fields; bookmarks belong to the
// whole and are left out.
import { readdir } from 'node:fs/promises'
import type { Warning } from '../contract.ts'
import { Refusal, say } from '../sandbox.ts'
import { encryptionArguments } from './finish.ts'
import { isDictionary, readObjects, type Objects } from './objects.ts'
import { checkDocument } from './open.ts'
import { type OpenedDocument } from './opened.ts'
import { pageCount } from './pages.ts'
import { HERE, runQpdf } from './qpdf.ts'
import { rangesIn, textOf, type Range } from './ranges.ts'
import type { SplitTask } from './tasks.ts'

interface Part {
  file: string
  /** The part's pages, `1-3`. */
  pages: string
}

const MAX_PARTS = 2000
// The part of a child's time for checking the parts; the rest is for the steps before it.
const CHECK_MS = 20_000

/**
 * Splits a document, which `openSound` must have opened.
 * @returns the parts, and how many of them were read again
 * @throws `Refusal`: `pdf_page_out_of_range`, `pdf_damaged`
 */
export async function splitDocument(
  opened: OpenedDocument,
  { folder, wanted }: SplitTask,
): Promise<{ parts: Part[]; warnings: Warning[]; checked: number }> {
  const pages = await pageCount(folder, opened)
  const count = 'every' in wanted ? Math.ceil(pages / wanted.every) : wanted.ranges.length
  if (count > MAX_PARTS)
    throw new Refusal(
      'pdf_page_out_of_range',
      say('This would make {count} documents: at most {most} can be made from one', {
        count,
        most: MAX_PARTS,
      }),
    )
  const ranges = 'every' in wanted ? [] : rangesIn(wanted.ranges, pages)
  const packing = await packingOf(folder, opened)
  const parts = await ('every' in wanted
    ? cutEvery(folder, opened, wanted.every, pages, packing)
    : cutRanges(folder, opened, ranges, packing))
  // oxfmt-ignore
  const checked = await checkParts(folder, parts.map(({ file }) => file), opened.password)
  return { parts, warnings: [], checked }
}

/**
 * Reads the parts again while there is time, at least one. Returns their number. Throws `Refusal`
 * `pdf_damaged`.
 */
export async function checkParts(
  folder: string,
  files: readonly string[],
  password?: string,
): Promise<number> {
  const until = performance.now() + CHECK_MS
  let checked = 0
  for (const file of files) {
    await checkDocument(folder, file, password)
    checked++
    if (performance.now() > until) break
  }
  return checked
}

async function cutEvery(
  folder: string,
  opened: OpenedDocument,
  every: number,
  pages: number,
  packing: readonly string[],
): Promise<Part[]> {
  await runQpdf(folder, [
    `${HERE}/${opened.file}`,
    `--split-pages=${every}`,
    ...packing,
    ...encryptionArguments(opened),
    `${HERE}/part-%d.pdf`,
  ])
  const files = (await readdir(folder)).filter((name) => name.startsWith('part-')).sort()
  return files.map((file, at) => {
    const last = Math.min((at + 1) * every, pages)
    return { file, pages: textOf({ first: at * every + 1, last }) }
  })
}

async function cutRanges(
  folder: string,
  opened: OpenedDocument,
  ranges: readonly Range[],
  packing: readonly string[],
): Promise<Part[]> {
  const parts: Part[] = []
  for (const [at, range] of ranges.entries()) {
    const file = `part-${at}.pdf`
    const pages = textOf(range)
    const source = ['--empty', '--pages', `${HERE}/${opened.file}`, pages, '--']
    await runQpdf(folder, [
      ...source,
      ...packing,
      ...encryptionArguments(opened),
      `${HERE}/${file}`,
    ])
    parts.push({ file, pages })
  }
  return parts
}

/**
 * Parts leave out resources that only other parts' pages use. If a font, a pattern or a form draws
 * with the resources of its page, qpdf would treat these as unused: then each part keeps all
 * resources.
 */
async function packingOf(folder: string, opened: OpenedDocument): Promise<readonly string[]> {
  const borrowed = borrowsResources(await readObjects(folder, opened))
  return [
    `--remove-unreferenced-resources=${borrowed ? 'no' : 'auto'}`,
    '--object-streams=generate',
  ]
}

function borrowsResources({ values, resolve }: Objects): boolean {
  return [...values.values()].some((value) => {
    if (!isDictionary(value) || resolve(value['/Resources']) !== null) return false
    const subtype = resolve(value['/Subtype'])
    return subtype === '/Type3' || subtype === '/Form' || resolve(value['/PatternType']) === 1
  })
}

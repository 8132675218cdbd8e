// A document on its way out: written by qpdf, protected as the one that it was made of, and read
// again before anyone gets it.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { checkDocument, type Opened } from './open.ts'
import { HERE, runQpdf } from './qpdf.ts'

export const RESULT = 'out.pdf'

/**
 * `args`: all but the file that is written and whom it is protected from. Throws `Refusal`
 * `pdf_damaged`.
 */
export async function writeResult(
  folder: string,
  opened: Opened,
  args: readonly string[],
): Promise<void> {
  await runQpdf(folder, [...args, ...identity(opened), `${HERE}/${RESULT}`])
  await checkDocument(folder, RESULT, opened.password)
}

/** The same bytes of the same document each time, but where encryption forbids that. */
export const identity = ({ protection }: Pick<Opened, 'protection'>): readonly string[] =>
  protection ?? ['--deterministic-id']

const CHANGES = 'changes.json'

/**
 * What qpdf is to be told for objects to be others: by names like `obj:12 0 R`. `pagesRead`: so
 * they were named by `readPages`.
 */
export async function changing(
  folder: string,
  changes: Readonly<Record<string, unknown>>,
  pagesRead = false,
): Promise<readonly string[]> {
  if (Object.keys(changes).length === 0) return []
  const head = { jsonversion: 2, pushedinheritedpageresources: false, calledgetallpages: pagesRead }
  await writeFile(path.join(folder, CHANGES), JSON.stringify({ qpdf: [head, changes] }))
  return [`--update-from-json=${HERE}/${CHANGES}`]
}

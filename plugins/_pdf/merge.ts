// Merges several documents in their order. Form fields of the same name are renamed; bookmarks are
// left out.
import type { AnyText, Warning } from '../contract.ts'
import { Refusal, sayPlain } from '../sandbox.ts'
import { RESULT } from './finish.ts'
import { checkDocument, openSound } from './open.ts'
import { type OpenedDocument } from './opened.ts'
import { HERE, runQpdf } from './qpdf.ts'
import { PROBLEMS } from './problems.ts'
import type { MergeTask } from './tasks.ts'

export type MergeResult = { warnings: Warning[] } | { bad: number; code: string; message: AnyText }

export async function mergeDocuments({
  folder,
  password,
  documents,
}: MergeTask): Promise<MergeResult> {
  const opened: OpenedDocument[] = []
  for (let at = 0; at < documents; at++) {
    try {
      opened.push(await openSound(folder, `in-${at}.pdf`, password))
    } catch (error) {
      if (error instanceof Refusal) return { bad: at, code: error.code, message: error.text }
      throw error
    }
  }
  try {
    await assemble(folder, opened)
  } catch (error) {
    const bad = isDamage(error) ? await firstBad(folder, opened) : -1
    if (bad < 0) throw error
    return { bad, code: 'pdf_damaged', message: PROBLEMS.pdf_damaged }
  }
  return { warnings: opened.some(({ protection }) => protection) ? [UNPROTECTED] : [] }
}

async function assemble(folder: string, opened: readonly OpenedDocument[]): Promise<void> {
  const pages = opened.flatMap(({ file }) => [`${HERE}/${file}`, '1-z'])
  const args = [
    '--empty',
    '--pages',
    ...pages,
    '--',
    ...WHOLE,
    '--object-streams=generate',
    '--deterministic-id',
  ]
  await runQpdf(folder, [...args, `${HERE}/${RESULT}`])
  await checkDocument(folder, RESULT)
}

/**
 * qpdf treats resources that only glyphs of a font use as unused and would remove them. All pages
 * are kept, so little would be saved.
 */
const WHOLE = ['--remove-unreferenced-resources=no']

const isDamage = (error: unknown) => error instanceof Refusal && error.code === 'pdf_damaged'

/**
 * The index of the first document whose pages cannot be extracted although it can be read; -1:
 * there is none.
 */
async function firstBad(folder: string, opened: readonly OpenedDocument[]): Promise<number> {
  for (const [at, one] of opened.entries())
    if (await assemble(folder, [one]).then(() => false, isDamage)) return at
  return -1
}

const UNPROTECTED: Warning = {
  code: 'pdf_unprotected',
  message: sayPlain('Some of the documents had a password: the merged document has none'),
}

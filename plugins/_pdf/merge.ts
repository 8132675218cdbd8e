// Merges several documents in their order, with what they have in addition to their pages. Form fields
// of the same name are renamed.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { AnyText, Warning } from '../contract/index.ts'
import { Refusal, sayPlain } from '../contract/sandbox.ts'
import { carryAll, type Carrying, type Numbering } from './carry.ts'
import { moveCarried } from './carried.ts'
import { RESULT } from './finish.ts'
import { checkResult, isDamage, openSound } from './open.ts'
import { readWhole } from './pages.ts'
import { HERE, runQpdf } from './qpdf.ts'
import { PROBLEMS } from './problems.ts'
import type { MergeTask } from './tasks.ts'
import type { OpenedDocument } from './opened.ts'

/** A warning about one document, or about the result. */
type MergeWarning = Warning & { document?: number }
export type MergeResult =
  | { warnings: MergeWarning[] }
  | { bad: number; code: string; message: AnyText }

export async function mergeDocuments({
  folder,
  password,
  documents,
}: MergeTask): Promise<MergeResult> {
  const carryings: Carrying[] = []
  const warnings: MergeWarning[] = []
  const numbering: Numbering = { raised: 0 }
  for (let at = 0; at < documents; at++) {
    try {
      const sound = await openSound(folder, `in-${at}.pdf`, password)
      const carrying = await carryAll(folder, sound, await readWhole(folder, sound), numbering)
      carryings.push(carrying)
      const own = [...carrying.warnings, ...repairWarnings(sound)]
      warnings.push(...own.map((warning) => ({ ...warning, document: at })))
    } catch (error) {
      if (error instanceof Refusal) return { bad: at, code: error.code, message: error.text }
      throw error
    }
  }
  try {
    await assemble(folder, carryings)
  } catch (error) {
    const bad = isDamage(error) ? await firstBad(folder, carryings) : -1
    if (bad < 0) throw error
    return { bad, code: 'pdf_damaged', message: PROBLEMS.pdf_damaged }
  }
  const areProtected = carryings.some(({ opened }) => opened.encryptedLike !== null)
  return { warnings: [...warnings, ...(areProtected ? [UNPROTECTED] : [])] }
}

async function assemble(folder: string, carryings: readonly Carrying[]): Promise<void> {
  const pages = carryings.flatMap(({ opened: { file } }) => [`${HERE}/${file}`, '1-z'])
  const carry = carryings.some(({ carries }) => carries)
  const args = ['--object-streams=generate', '--deterministic-id']
  const writing = carry ? [`${HERE}/${PAGES}`] : [...args, `${HERE}/${RESULT}`]
  await runQpdf(folder, ['--empty', '--pages', ...pages, '--', ...WHOLE, ...writing])
  if (carry) {
    const documents = carryings.length
    await moveCarried(folder, { made: PAGES, to: RESULT, part: 0, documents, args })
    await rm(path.join(folder, PAGES))
  }
  const repaired = carryings.some(({ opened }) => opened.repaired)
  await checkResult(folder, RESULT, { password: '', repaired })
}

/** The merged pages, before the entries of the catalogue are moved into it. */
const PAGES = 'pages.pdf'

/**
 * qpdf treats resources that only glyphs of a font use as unused and would remove them. All pages
 * are kept, so little would be saved.
 */
const WHOLE = ['--remove-unreferenced-resources=no']

/**
 * The index of the first document whose pages cannot be extracted although it can be read; -1:
 * there is none.
 */
async function firstBad(folder: string, carryings: readonly Carrying[]): Promise<number> {
  for (const [at, one] of carryings.entries())
    if (await assemble(folder, [one]).then(() => false, isDamage)) return at
  return -1
}

const UNPROTECTED: Warning = {
  code: 'pdf_unprotected',
  message: sayPlain('Some of the documents had a password: the merged document has none'),
}

// Warnings about a document that was damaged or signed.

export const repairWarnings = ({
  repaired,
  signed,
}: Pick<OpenedDocument, 'repaired' | 'signed'>): Warning[] => [
  ...(repaired ? [REPAIRED] : []),
  ...(signed ? [SIGNED] : []),
]

const REPAIRED: Warning = {
  code: 'pdf_repaired',
  message: sayPlain('The document was damaged. It was repaired as far as possible: check it'),
}

const SIGNED: Warning = {
  code: 'signature_lost',
  message: sayPlain('The document was signed. The result is not signed'),
}

// Writes a finished document with qpdf, encrypted like the original, and reads it again before
// anyone gets it.
import { checkDocument } from './open.ts'
import { type Opened } from './opened.ts'
import { HERE, runQpdf } from './qpdf.ts'

export const RESULT = 'out.pdf'

/**
 * `args`: all arguments except the output file and its encryption. Throws `Refusal` `pdf_damaged`.
 */
export async function writeResult(
  folder: string,
  opened: Opened,
  args: readonly string[],
): Promise<void> {
  await runQpdf(folder, [...args, ...identity(opened), `${HERE}/${RESULT}`])
  await checkDocument(folder, RESULT, opened.password)
}

/** Gives the same bytes for the same document each time, unless encryption prevents that. */
export const identity = ({ protection }: Pick<Opened, 'protection'>): readonly string[] =>
  protection ?? ['--deterministic-id']

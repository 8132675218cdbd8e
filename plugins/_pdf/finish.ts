// A document on its way out: written by qpdf, protected as the one that it was made of, and read
// again before anyone gets it.
import { checkDocument } from './open.ts'
import { type Opened } from './opened.ts'
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

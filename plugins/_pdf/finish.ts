// Writes a finished document with qpdf, encrypted like the original, and checks it by reading it
// again.
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
  await runQpdf(folder, [...args, ...encryptionArguments(opened), `${HERE}/${RESULT}`])
  await checkDocument(folder, RESULT, opened.password)
}

/** Without encryption, the same document gives the same bytes each time. */
export const encryptionArguments = ({
  protection,
}: Pick<Opened, 'protection'>): readonly string[] => protection ?? ['--deterministic-id']

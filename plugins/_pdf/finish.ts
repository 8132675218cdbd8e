// Writes a finished document with qpdf, encrypted like the original, and checks it by reading it
// again.
import { checkResult } from './open.ts'
import { type OpenedDocument } from './opened.ts'
import { HERE, runQpdf } from './qpdf.ts'

export const RESULT = 'out.pdf'

/**
 * Writes the result.
 * @param args all arguments of qpdf except the output file and its encryption
 * @throws `Refusal` `pdf_damaged` if the result cannot be read
 */
export async function writeResult(
  folder: string,
  opened: OpenedDocument,
  args: readonly string[],
): Promise<void> {
  await runQpdf(folder, [...args, ...encryptionArguments(opened), `${HERE}/${RESULT}`])
  await checkResult(folder, RESULT, opened)
}

/**
 * The arguments that encrypt the result like the original. Without encryption, the same document
 * gives the same bytes each time.
 */
export const encryptionArguments = ({
  encryptedLike,
  password,
}: Pick<OpenedDocument, 'encryptedLike' | 'password'>): readonly string[] =>
  encryptedLike === null
    ? ['--deterministic-id']
    : [
        '--allow-weak-crypto',
        `--copy-encryption=${HERE}/${encryptedLike}`,
        `--encryption-file-password=${password}`,
      ]

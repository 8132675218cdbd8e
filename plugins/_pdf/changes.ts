// Changes to a document's objects, written for qpdf.
import { writeFile } from 'fs/promises'
import path from 'path'
import { HERE } from './qpdf.ts'

const CHANGES = 'changes.json'

/**
 * Writes changed objects for qpdf, by names like `obj:12 0 R`. `pagesRead`: the names come from
 * `readPages`. Returns qpdf's arguments.
 */
export async function writeChanges(
  folder: string,
  changes: Readonly<Record<string, unknown>>,
  pagesRead = false,
): Promise<readonly string[]> {
  if (Object.keys(changes).length === 0) return []
  const head = { jsonversion: 2, pushedinheritedpageresources: false, calledgetallpages: pagesRead }
  await writeFile(path.join(folder, CHANGES), JSON.stringify({ qpdf: [head, changes] }))
  return [`--update-from-json=${HERE}/${CHANGES}`]
}

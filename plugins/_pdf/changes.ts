// Changes to a document's objects, written for qpdf.
import { writeFile } from 'fs/promises'
import path from 'path'
import { HERE } from './qpdf.ts'

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

// Changes to a document's objects, written for qpdf.
import { writeFile } from 'fs/promises'
import path from 'path'
import { referenceTo, type Dictionary } from './objects.ts'
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

/** Objects that are added to a document, with numbers that it does not use. */
export class Additions {
  /** In qpdf's form. */
  readonly changes: Record<string, { value: Dictionary }> = {}
  #last: number

  /** @param maxObject the highest object number of the document */
  constructor(maxObject: number) {
    this.#last = maxObject
  }

  /** Returns the reference of an object that `set` gives its value. */
  reserve(): string {
    return referenceTo(++this.#last)
  }

  set(reference: string, value: Dictionary): void {
    this.changes[`obj:${reference}`] = { value }
  }

  add(value: Dictionary): string {
    const reference = this.reserve()
    this.set(reference, value)
    return reference
  }
}

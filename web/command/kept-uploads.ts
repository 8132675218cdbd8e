// Unfinished uploads, one small file each, so that a run that was killed is continued by the next
// one. The name follows from the file and its state: a changed file begins again.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { LocalFile } from './local-files.ts'

export interface KeptUpload {
  address: string
  batch: string
  /** The choices that it was begun with. */
  choices: string
}

export class KeptUploads {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async read(file: LocalFile): Promise<KeptUpload | null> {
    try {
      const kept = JSON.parse(await readFile(this.#placeOf(file), 'utf8')) as Partial<KeptUpload>
      const { address, batch, choices } = kept
      return address && batch && choices !== undefined ? { address, batch, choices } : null
    } catch {
      return null
    }
  }

  /** The file is whole or absent, even if the program is killed meanwhile. */
  async keep(file: LocalFile, upload: KeptUpload): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const place = this.#placeOf(file)
    await writeFile(`${place}.new`, JSON.stringify({ path: file.path, ...upload }), { mode: 0o600 })
    await rename(`${place}.new`, place)
  }

  async forget(file: LocalFile): Promise<void> {
    await rm(this.#placeOf(file), { force: true })
  }

  #placeOf({ path: file, size, mtime }: LocalFile): string {
    const name = createHash('sha256')
      .update(JSON.stringify([file, size, mtime]))
      .digest('hex')
    return path.join(this.#folder, `${name.slice(0, 32)}.json`)
  }
}

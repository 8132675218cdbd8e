// Imports files of this computer: sends what the comparison leaves, and follows their imports. What
// a run that was killed had begun is continued.
import { isOpen, metadataOf, uploadResults } from './client.ts'
import { Comparison } from './comparison.ts'
import type { Context } from './context.ts'
import { dataOf, StevedoreError } from './errors.ts'
import type { ImportOptions } from './import-options.ts'
import type { KeptUpload, KeptUploads } from './kept-uploads.ts'
import { openFile } from './local-file.ts'
import type { LocalFile } from './local-files.ts'
import { failed, type Outcome, type Outcomes } from './outcomes.ts'
import { chunks, pooled } from './several.ts'
import type { SkuIndex } from './sku-index.ts'
import { sizeText } from './terminal.ts'
import { PROTOCOL, sendOverTus, uploadIdOf } from './tus.ts'
import type { UploadResult } from './types.ts'

export interface ImportParts extends Pick<Context, 'client' | 'requests' | 'terminal' | 'signal'> {
  options: ImportOptions
  kept: KeptUploads
  outcomes: Outcomes
  skus: SkuIndex | null
}

/** Files that are sent concurrently. */
const SENT = 4
const MAX_RESULTS = 200

interface Sent {
  file: LocalFile
  address: string
  batch: string
}

/** A file whose bytes are to be sent, or whose upload is to be continued. */
interface Planned {
  file: LocalFile
  resume: KeptUpload | null
}

export class FileImport {
  readonly #parts: ImportParts
  #sentBytes = 0
  #totalBytes = 0

  constructor(parts: ImportParts) {
    this.#parts = parts
  }

  /** Imports these files. Resolves when their imports have ended; throws if it is interrupted. */
  async run(files: readonly LocalFile[]): Promise<void> {
    const { options, terminal } = this.#parts
    const { begun, sent, rest } = await this.#continued(files)
    const compared = await new Comparison(this.#parts).compare(rest)
    const fresh = compared.map((file) => ({ file, resume: null }))
    if (options.dryRun) return this.#foresee([...begun, ...fresh])
    const batch = fresh.length > 0 ? await this.#beginBatch(fresh.length) : null
    const planned: Planned[] = [...begun, ...fresh]
    this.#totalBytes = planned.reduce((sum, { file }) => sum + file.size, 0)
    this.#sentBytes = 0
    await pooled(SENT, planned, async (one) => {
      const ended = await this.#send(one, batch)
      if (ended) sent.push(ended)
    })
    terminal.clear()
    const batches = new Set([...sent.map((one) => one.batch), ...(batch ? [batch] : [])])
    for (const id of batches) await this.#start(id)
    await this.#follow(sent)
  }

  /** What earlier runs have begun. */
  async #continued(files: readonly LocalFile[]) {
    const { kept, options, requests, outcomes } = this.#parts
    const known: Sent[] = []
    const rest: LocalFile[] = []
    const uploads = new Map<string, KeptUpload>()
    for (const file of files) {
      const upload = options.dryRun ? null : await kept.read(file)
      if (upload?.choices !== options.choices) rest.push(file)
      else {
        uploads.set(upload.address, upload)
        known.push({ file, address: upload.address, batch: upload.batch })
      }
    }
    const results = new Map<string, UploadResult>()
    for (const some of chunks(known, MAX_RESULTS))
      for (const one of await uploadResults(
        requests,
        some.map(({ address }) => uploadIdOf(address)),
      ))
        results.set(one.upload_id, one)
    const begun: Planned[] = []
    const sent: Sent[] = []
    for (const one of known) {
      const result = results.get(uploadIdOf(one.address))
      const upload = uploads.get(one.address) ?? null
      if (result?.status === 'uploading') begun.push({ file: one.file, resume: upload })
      else if (result?.status === 'received' || result?.status === 'importing') sent.push(one)
      else if (result?.status === 'done') {
        outcomes.add(one.file, outcomeOf(result))
        await kept.forget(one.file)
      } else {
        await kept.forget(one.file)
        rest.push(one.file)
      }
    }
    return { begun, sent, rest }
  }

  #foresee(planned: readonly Planned[]): void {
    for (const { file } of planned) {
      const { productSku, title } = this.#productOf(file)
      const pack = this.#packOf(file)
      const about = [
        sizeText(file.size),
        ...(productSku ? [`SKU ${productSku}`] : []),
        ...(pack ? [`pack ${pack}`] : []),
      ].join(', ')
      this.#parts.outcomes.add(file, {
        status: 'would_send',
        about,
        ...(title ? { products: [title] } : {}),
      })
    }
  }

  #productOf(file: LocalFile): { productSku?: string; title?: string } {
    const found = this.#parts.skus?.find(file.filename)
    return found ? { productSku: found.sku, title: found.title } : {}
  }

  #packOf(file: LocalFile): string | undefined {
    const { pack, packFromFolder } = this.#parts.options
    return packFromFolder ? file.folder : pack
  }

  async #beginBatch(count: number): Promise<string> {
    const { client, options } = this.#parts
    const body = {
      // Without a number the import would begin after the last file.
      count,
      ...(options.notify === undefined ? {} : { notify: options.notify }),
      ...(options.tags.length > 0 ? { files: { tags: options.tags } } : {}),
    }
    return dataOf(await client.POST('/api/uploads/batches', { body })).id
  }

  /** Null: it could not be sent, which is reported. */
  async #send({ file, resume }: Planned, newBatch: string | null): Promise<Sent | null> {
    const { requests, options, kept, signal, outcomes } = this.#parts
    const batch = resume?.batch ?? newBatch
    if (batch === null) throw new Error('No batch was begun')
    let counted = 0
    let address = resume?.address
    try {
      const source = await openFile(file.path, file)
      try {
        address = await sendOverTus(requests, source, {
          metadata: metadataOf({
            filename: file.filename,
            onConflict: options.onConflict,
            batch,
            ...this.#productOf(file),
            ...definedPack(this.#packOf(file)),
          }),
          resume: resume?.address,
          onBegin: (at) => {
            address = at
            return kept.keep(file, { address: at, batch, choices: options.choices })
          },
          onProgress: (bytes) => {
            this.#sentBytes += bytes - counted
            counted = bytes
            this.#showProgress(file)
          },
        })
        return { file, address, batch }
      } finally {
        await source.close?.()
      }
    } catch (error) {
      signal.throwIfAborted()
      await this.#giveUp(file, error, address)
      outcomes.add(file, failed(error))
      return null
    }
  }

  /** What was interrupted is continued later; what was refused or changed is not. */
  async #giveUp(file: LocalFile, error: unknown, address: string | undefined): Promise<void> {
    const { requests, kept } = this.#parts
    const mayContinue =
      error instanceof StevedoreError &&
      error.code !== 'file_changed' &&
      (error.status < 400 || error.status >= 500)
    if (mayContinue) return
    await kept.forget(file)
    // Otherwise it takes room until it expires.
    if (address !== undefined)
      await requests
        .attempt(address, { method: 'DELETE', headers: PROTOCOL })
        .catch(() => undefined)
  }

  #showProgress({ shown }: LocalFile): void {
    const about = `${sizeText(this.#sentBytes)} of ${sizeText(this.#totalBytes)}  ${shown}`
    this.#parts.terminal.progress(this.#sentBytes, this.#totalBytes, about)
  }

  /** Ends the import of a batch, also if not all of its files have arrived. */
  async #start(id: string): Promise<void> {
    const params = { path: { id } }
    const answer = await this.#parts.client.POST('/api/uploads/batches/{id}/start', { params })
    // 409: nothing has arrived, 404: an old batch was removed.
    if (answer.response.status !== 409 && answer.response.status !== 404) dataOf(answer)
  }

  async #follow(sent: readonly Sent[]): Promise<void> {
    const { requests, outcomes, kept, terminal } = this.#parts
    let open = [...sent]
    for (let wait = SHORTEST_MS; open.length > 0;) {
      const asked = open.slice(0, MAX_RESULTS)
      const found = await uploadResults(
        requests,
        asked.map(({ address }) => uploadIdOf(address)),
      )
      const results = new Map(found.map((one) => [one.upload_id, one]))
      const ended = new Set<Sent>()
      for (const one of asked) {
        const result = results.get(uploadIdOf(one.address))
        if (result && isOpen(result)) continue
        outcomes.add(one.file, result ? outcomeOf(result) : GONE)
        await kept.forget(one.file)
        ended.add(one)
      }
      open = open.filter((one) => !ended.has(one))
      if (open.length === 0) break
      terminal.progress(sent.length - open.length, sent.length, 'importing')
      wait = ended.size > 0 ? SHORTEST_MS : Math.min(wait * 1.5, LONGEST_MS)
      await requests.sleep(wait)
    }
    terminal.clear()
  }
}

/** A key may make 120 such requests a minute. */
const SHORTEST_MS = 600
const LONGEST_MS = 5000
const GONE: Outcome = { status: 'failed', about: 'The upload is not there any more' }

const definedPack = (pack: string | undefined) => (pack === undefined ? {} : { pack })

function outcomeOf({ status, error, file_id, products }: UploadResult): Outcome {
  const about = error ? { about: error.message, code: error.code } : {}
  const outcome = status === 'done' ? 'imported' : status === 'skipped' ? 'skipped' : 'failed'
  return { status: outcome, fileId: file_id, products, ...about }
}

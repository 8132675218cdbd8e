// Imports files of this computer: compares them with those of the shop, sends what is new, and
// follows their imports. What a run that was killed had begun is continued.
import { setTimeout as sleep } from 'node:timers/promises'
import { nameKey } from '../../plugins/_page/name-key.ts'
import { metadataOf, uploadResults } from './client.ts'
import type { Context } from './context.ts'
import { dataOf, StevedoreError } from './errors.ts'
import { errorLines } from './exit.ts'
import type { ImportOptions } from './import-options.ts'
import type { KeptUpload, KeptUploads } from './kept-uploads.ts'
import { digestOf, openFile } from './local-file.ts'
import type { LocalFile } from './local-files.ts'
import type { Outcome, Outcomes } from './outcomes.ts'
import type { SkuIndex } from './sku-index.ts'
import { sizeText } from './terminal.ts'
import { PROTOCOL, sendOverTus, uploadIdOf } from './tus.ts'
import type { Schemas, UploadResult } from './types.ts'

export interface ImportParts extends Pick<Context, 'client' | 'requests' | 'terminal' | 'signal'> {
  options: ImportOptions
  kept: KeptUploads
  outcomes: Outcomes
  skus: SkuIndex | null
}

/** Files that are sent concurrently, and files whose digests are computed concurrently. */
const SENT = 4
const READ = 2
const MAX_CHECKED = 1000
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

type Compared = LocalFile & { sha256: string }

export class FileImport {
  readonly #parts: ImportParts
  /** The keys of names that this run sends, with the digest of the first file of each. */
  readonly #names = new Map<string, Compared>()
  readonly #digests = new Map<string, Compared>()
  #sentBytes = 0
  #totalBytes = 0

  constructor(parts: ImportParts) {
    this.#parts = parts
  }

  /** Imports these files. Resolves when their imports have ended; throws if it is interrupted. */
  async run(files: readonly LocalFile[]): Promise<void> {
    const { options, terminal } = this.#parts
    const { begun, sent, rest } = await this.#continued(files)
    const compared = await this.#compared(rest)
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

  /** Reports files that need not be sent, and resolves with the others. */
  async #compared(files: readonly LocalFile[]): Promise<Compared[]> {
    const digested = await this.#digested(files)
    const wanted: Compared[] = []
    for (const some of chunks(digested, MAX_CHECKED)) {
      const answers = await this.#check(some)
      for (const [at, file] of some.entries()) {
        const outcome = this.#judge(file, answers[at])
        if (outcome) this.#parts.outcomes.add(file, outcome)
        else wanted.push(file)
      }
    }
    return wanted
  }

  async #digested(files: readonly LocalFile[]): Promise<Compared[]> {
    const { terminal, signal, outcomes } = this.#parts
    const total = files.reduce((sum, { size }) => sum + size, 0)
    let read = 0
    const digested: (Compared | null)[] = files.map(() => null)
    await pooled(READ, [...files.entries()], async ([at, file]) => {
      try {
        const sha256 = await digestOf(
          file.path,
          (bytes) => {
            read += bytes
            terminal.progress(read, total, `comparing ${file.shown}`)
          },
          signal,
        )
        digested[at] = { ...file, sha256 }
      } catch (error) {
        signal.throwIfAborted()
        outcomes.add(file, failed(error))
      }
    })
    terminal.clear()
    return digested.filter((one) => one !== null)
  }

  /** Asks again for a moment while the digests of files of the shop are being computed. */
  async #check(files: readonly Compared[]): Promise<CheckAnswer[]> {
    const { client, signal } = this.#parts
    const body = {
      files: files.map(({ filename, size, sha256 }) => ({ filename, size_bytes: size, sha256 })),
    }
    for (const wait of [...PENDING_MS, null]) {
      const answer = await client.POST('/api/uploads/check', { body, signal })
      const { data } = dataOf(answer)
      const isPending = data.some((one) => one.reason === 'digest_pending' && one.status !== 'new')
      if (!isPending || wait === null) return data
      await sleep(wait, undefined, { signal })
    }
    return []
  }

  /** What becomes of a file without sending it; null: it is sent. */
  #judge(file: Compared, answer: CheckAnswer | undefined): Outcome | null {
    const { options } = this.#parts
    if (!answer) return null
    const key = nameKey(file.filename)
    const name = this.#names.get(key)
    const same = this.#digests.get(file.sha256)
    const fileId = answer.file?.file_id ?? null
    if (answer.status === 'unchanged') return { status: 'unchanged', fileId }
    if (!options.sendSame) {
      if (answer.same_bytes_as && answer.status === 'same_bytes_as')
        return { status: 'same_bytes', fileId, about: `as ${answer.same_bytes_as.filename}` }
      if (same) return { status: 'same_bytes', about: `as ${same.shown}` }
    }
    const isTaken = answer.status === 'name_taken' || name !== undefined
    if (isTaken && options.onConflict === 'error')
      return {
        status: 'failed',
        code: 'duplicate_filename',
        about: name
          ? `Duplicate filename: ${name.shown} has it too. Choose --on-conflict`
          : 'Duplicate filename: choose --on-conflict',
      }
    if (isTaken && options.onConflict === 'skip')
      return { status: 'skipped', fileId, about: 'the name is taken' }
    this.#names.set(key, file)
    this.#digests.set(file.sha256, file)
    return null
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
    const { client, options, signal } = this.#parts
    const body = {
      // Without a number the import would begin after the last file.
      count,
      ...(options.notify === undefined ? {} : { notify: options.notify }),
      ...(options.tags.length > 0 ? { files: { tags: options.tags } } : {}),
    }
    return dataOf(await client.POST('/api/uploads/batches', { body, signal })).id
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
          signal,
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
    const { client, signal } = this.#parts
    const answer = await client.POST('/api/uploads/batches/{id}/start', {
      params: { path: { id } },
      signal,
    })
    // 409: nothing has arrived, 404: an old batch was removed.
    if (answer.response.status !== 409 && answer.response.status !== 404) dataOf(answer)
  }

  async #follow(sent: readonly Sent[]): Promise<void> {
    const { requests, outcomes, kept, terminal, signal } = this.#parts
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
        if (result && OPEN.has(result.status)) continue
        outcomes.add(one.file, result ? outcomeOf(result) : GONE)
        await kept.forget(one.file)
        ended.add(one)
      }
      open = open.filter((one) => !ended.has(one))
      if (open.length === 0) break
      terminal.progress(sent.length - open.length, sent.length, 'importing')
      wait = ended.size > 0 ? SHORTEST_MS : Math.min(wait * 1.5, LONGEST_MS)
      await sleep(wait, undefined, { signal })
    }
    terminal.clear()
  }
}

/** About two minutes: the server computes the digests of files that arrived a moment ago. */
const PENDING_MS = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000]
/** A key may make 120 such requests a minute. */
const SHORTEST_MS = 600
const LONGEST_MS = 5000
const OPEN: ReadonlySet<string> = new Set(['uploading', 'received', 'importing'])
const GONE: Outcome = { status: 'failed', about: 'The upload is not there any more' }

type CheckAnswer = Schemas['Endpoints']['POST /api/uploads/check']['answer']['data'][number]

const definedPack = (pack: string | undefined) => (pack === undefined ? {} : { pack })

function outcomeOf({ status, error, file_id, products }: UploadResult): Outcome {
  const about = error ? { about: error.message, code: error.code } : {}
  const outcome = status === 'done' ? 'imported' : status === 'skipped' ? 'skipped' : 'failed'
  return { status: outcome, fileId: file_id, products, ...about }
}

const failed = (error: unknown): Outcome => ({
  status: 'failed',
  about: errorLines(error).join(' '),
  ...(error instanceof StevedoreError ? { code: error.code } : {}),
})

function chunks<Value>(values: readonly Value[], size: number): Value[][] {
  const found: Value[][] = []
  for (let at = 0; at < values.length; at += size) found.push(values.slice(at, at + size))
  return found
}

/** Runs this for all values, `limit` of them concurrently. */
async function pooled<Value>(
  limit: number,
  values: readonly Value[],
  run: (value: Value) => Promise<void>,
): Promise<void> {
  const rest = [...values]
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: Math.min(limit, values.length) }, worker))
}

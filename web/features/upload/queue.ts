// The queue of uploads. It lives as long as the tab, on every page: files are sent, and each is
// imported when it has arrived. When no file of a batch is being sent any more, its import is
// closed.
import type { ChosenFile } from '../../shell/components/chosen-files.ts'
import { setUploading } from '../../shell/url-state/uploading.ts'
import { t } from '../../shell/messages/t.ts'
import { changeBatch, createBatch, readBatch, startBatch } from './calls.ts'
import { untilEnded } from './follow-imports.ts'
import { batchFilesOf, type CommonValues } from './for-all.ts'
import { createHeartbeat } from './heartbeat.ts'
import { type Import, Imports } from './imports.ts'
import {
  createMemory,
  keepBatches,
  keepForAll,
  type KeptFile,
  readBatches,
  readForAll,
  readKept,
} from './kept.ts'
import type { ArrivedUpload } from './outcomes.ts'
import {
  refusalOf,
  type UploadRefusal,
  bytesToSend,
  hasEnded,
  isMoving,
  isOnItsWay,
  isUnderWay,
  rowOf,
  totalsOf,
  type UploadRow,
  type UploadTotals,
} from './rows.ts'
import { type AddedFile, chosenFileOf, keptFileOf, uploadOf, uppyFileOf } from './queue-files.ts'
import { createSpeed } from './speed.ts'
import { createUploader, idOf, type Uploader } from './uploader.ts'

export interface QueueState {
  rows: readonly UploadRow[]
  totals: UploadTotals
  /** Bytes per second; null while nothing is sent. */
  speed: number | null
  seconds: number | null
  /** Unfinished uploads of an earlier visit that were not chosen again. */
  kept: readonly KeptFile[]
  imports: readonly Import[]
  /** Batches that could not be imported. */
  errors: readonly (readonly [batch: string, error: Error])[]
  /** What is chosen for all files. */
  forAll: CommonValues
  /** Files whose products are being changed. */
  mapping: ReadonlySet<string>
  /** Why the last action on the queue failed. */
  failure: Error | null
  /** The browser has no storage left to remember unfinished uploads. */
  storageFull: boolean
}

const DRAWN_MS = 250
/** A text is sent when it was not changed for this long. */
const CHOICE_MS = 500

export class UploadQueue {
  readonly #shop: string
  readonly #uppy: Uploader
  readonly #speed = createSpeed()
  readonly #imports: Imports
  readonly #heartbeat = createHeartbeat((batch) => void readBatch(batch).catch(() => undefined))
  readonly #listeners = new Set<() => void>()
  /** Batches with a file from this tab. Other tabs close their own batches. */
  readonly #begun = new Set<string>()
  readonly #refusals = new Map<string, UploadRefusal>()
  readonly #memory: ReturnType<typeof createMemory>
  #kept: readonly KeptFile[]
  #failure: Error | null = null
  #storageFull = false
  #forAll: CommonValues
  #choiceTimer: ReturnType<typeof setTimeout> | undefined
  #mapping: ReadonlySet<string> = new Set()
  #timer: ReturnType<typeof setTimeout> | undefined
  #state: QueueState

  constructor(shop: string) {
    this.#shop = shop
    this.#uppy = createUploader(shop)
    this.#imports = new Imports({
      onChange: this.#changed,
      onBatches: (batches) => keepBatches(shop, batches),
    })
    this.#memory = createMemory(shop)
    this.#kept = readKept(shop)
    this.#forAll = readForAll(shop)
    this.#state = this.#draw()
    this.#imports.follow(readBatches(shop))
    this.#uppy.on('state-update', this.#changed)
    this.#uppy.on('upload-error', (file, _error, answer) => {
      const refusal = refusalOf(answer)
      if (file && refusal) this.#refusals.set(file.id, refusal)
    })
    this.#uppy.on('restriction-failed', (_file, error) => this.#fail(error))
  }

  readonly state = () => this.#state

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #draw(): QueueState {
    const rows = this.#uppy
      .getFiles()
      .map((file) => rowOf(file, this.#imports.outcome(file.id), this.#refusals.get(file.id)))
    const totals = totalsOf(rows)
    const now = Date.now()
    if (rows.some(isMoving)) this.#speed.note(totals.sent, now)
    else this.#speed.reset()
    const speed = this.#speed.at(now)
    return {
      rows,
      totals,
      speed,
      seconds: speed !== null && speed > 0 ? bytesToSend(rows) / speed : null,
      kept: this.#kept,
      imports: this.#imports.list(),
      errors: this.#imports.errors(),
      forAll: this.#forAll,
      mapping: this.#mapping,
      failure: this.#failure,
      storageFull: this.#storageFull,
    }
  }

  /** Rendered soon, but not for every chunk that is sent. */
  readonly #changed = (): void => {
    this.#timer ??= setTimeout(() => this.#redraw(), DRAWN_MS)
  }

  #redraw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#state = this.#draw()
    const { rows } = this.#state
    setUploading(rows.filter(isOnItsWay).length)
    this.#remember()
    this.#listeners.forEach((listener) => listener())
    this.#importArrived()
    // The speed falls while nothing is sent.
    if (rows.some(isMoving)) this.#changed()
  }

  /** Stored for the next visit, in case the tab is closed. */
  #remember(): void {
    const unfinished = this.#state.rows.filter(
      (row) => isOnItsWay(row) || (row.status === 'failed' && !this.#imports.has(row.id)),
    )
    const room = this.#memory([
      ...this.#kept,
      ...unfinished.flatMap((row) => keptFileOf(this.#uppy, row)),
    ])
    if (this.#storageFull === room) this.#changed()
    this.#storageFull = !room
  }

  /** Records files that have arrived, and closes the imports of batches without further files. */
  #importArrived(): void {
    const going = new Set(this.#kept.map(({ batch }) => batch))
    const onTheirWay = new Set<string>()
    const arrived: ArrivedUpload[] = []
    for (const row of this.#state.rows) {
      const file = this.#uppy.getFile(row.id)
      if (!file) continue
      const { batch } = file.meta
      if (isOnItsWay(row)) onTheirWay.add(batch)
      if (row.arrived) this.#begun.add(batch)
      if (row.status !== 'verifying' || this.#imports.has(row.id)) continue
      arrived.push({ id: row.id, batch, upload: uploadOf(file) })
    }
    if (arrived.length > 0) this.#imports.arrived(arrived)
    this.#heartbeat(onTheirWay)
    for (const batch of onTheirWay) going.add(batch)
    for (const batch of going) this.#imports.reopen(batch)
    for (const batch of this.#begun) if (!going.has(batch)) void this.#imports.close(batch)
  }

  readonly #fail = (error: unknown): void => {
    this.#failure = error as Error
    this.#changed()
  }

  /**
   * Each operation once, even for several of its files. An operation that cannot be retried gives
   * the reason.
   */
  #retry(ids: readonly string[]): void {
    this.#failure = null
    const imported = ids.filter((id) => this.#imports.has(id))
    if (imported.length > 0) void this.#imports.retry(imported).then(this.#changed, this.#fail)
    for (const id of ids.filter((one) => !this.#imports.has(one))) {
      this.#refusals.delete(id)
      void this.#uppy.retryUpload(id)
    }
    this.#changed()
  }

  #remove(ids: readonly string[]): void {
    if (ids.length === 0) return
    this.#uppy.removeFiles([...ids])
    this.#imports.forget(ids)
    ids.forEach((id) => this.#refusals.delete(id))
  }

  #idsOf(which: (row: UploadRow) => boolean): string[] {
    return this.#state.rows.filter(which).map(({ id }) => id)
  }

  /**
   * `known`: unfinished uploads of an earlier visit, which need no new question. `underWay`: files
   * that are in the queue, which are not added again.
   */
  sortChosen(files: readonly ChosenFile[]) {
    const under = new Set(this.#idsOf(isUnderWay))
    const before = new Set(this.#kept.map(({ id }) => id))
    const sorted = {
      fresh: [] as ChosenFile[],
      known: [] as ChosenFile[],
      underWay: [] as ChosenFile[],
    }
    for (const file of files) {
      const id = idOf(this.#shop, file)
      sorted[under.has(id) ? 'underWay' : before.has(id) ? 'known' : 'fresh'].push(file)
    }
    return sorted
  }

  /**
   * Names that will be taken by files in the queue, except these: files that are being sent or may
   * be retried.
   */
  namesExcept(but: readonly ChosenFile[]): string[] {
    const own = new Set(but.map((file) => idOf(this.#shop, file)))
    const rows = this.#state.rows.filter(
      (row) => isUnderWay(row) || (row.status === 'failed' && !row.taken),
    )
    return [...rows, ...this.#kept].filter(({ id }) => !own.has(id)).map(({ filename }) => filename)
  }

  /** The files of these rows, as they were chosen. */
  filesOf(rows: readonly UploadRow[]): ChosenFile[] {
    return rows.flatMap((row) => chosenFileOf(this.#uppy, row))
  }

  /**
   * Adds files after those in the queue; ended rows of the same files are removed. Files that were
   * refused because of their names continue where they were stopped. Throws `ApiError`.
   */
  async add(chosen: readonly AddedFile[]): Promise<void> {
    const under = new Set(this.#idsOf(isUnderWay))
    const wanted = new Map(chosen.map((file) => [idOf(this.#shop, file), file]))
    this.#retry(this.#answerRefusals(wanted))
    const files = [...wanted].filter(([id]) => !under.has(id))
    const before = new Map(this.#kept.map((file) => [file.id, file]))
    const fresh = files.filter(([id]) => !before.has(id)).length
    const batch = fresh > 0 ? (await createBatch(fresh, batchFilesOf(this.#forAll))).id : ''
    this.#failure = null
    this.#remove(this.#idsOf((row) => hasEnded(row) && wanted.has(row.id)))
    if (files.length > 0)
      this.#uppy.addFiles(files.map(([id, file]) => uppyFileOf(file, before.get(id), batch)))
    this.#kept = this.#kept.filter(({ id }) => !this.#uppy.getFile(id))
    this.#redraw()
  }

  /** Takes files that were refused because of their names out of `wanted`, with their new answers. */
  #answerRefusals(wanted: Map<string, AddedFile>): string[] {
    return this.#idsOf(({ id }) => {
      const file = wanted.get(id)
      if (!file || !this.#refusals.get(id)?.taken) return false
      const { meta } = this.#uppy.getFile(id)
      this.#uppy.setFileMeta(id, { ...meta, on_conflict: file.on_conflict })
      return wanted.delete(id)
    })
  }

  readonly pause = (id: string): void => void this.#uppy.pauseResume(id)

  readonly resume = (id: string): void => void this.#uppy.pauseResume(id)

  readonly cancel = (id: string): void => this.#remove([id])

  readonly retry = (id: string): void => this.#retry([id])

  readonly pauseAll = (): void => this.#idsOf(isMoving).forEach(this.pause)

  readonly resumeAll = (): void =>
    this.#idsOf(({ status }) => status === 'paused').forEach(this.resume)

  readonly cancelAll = (): void => this.#remove(this.#idsOf(isOnItsWay))

  /** Retries failed files, except those whose names are taken: the merchant is asked about these. */
  readonly retryFailed = (): void =>
    this.#retry(this.#idsOf(({ status, taken }) => status === 'failed' && !taken))

  /** Removes ended rows, successful and failed. */
  readonly clear = (): void => this.#remove(this.#idsOf(hasEnded))

  /** Removes ended rows of these files. */
  removeEnded(files: readonly ChosenFile[]): void {
    const ids = new Set(files.map((file) => idOf(this.#shop, file)))
    this.#remove(this.#idsOf((row) => hasEnded(row) && ids.has(row.id)))
  }

  /** The merchant has closed the error message. */
  readonly dismissFailure = (): void => {
    this.#failure = null
    this.#changed()
  }

  /** Chooses tags, pack, product and settings for all files that have not arrived yet. */
  readonly chooseForAll = (choices: CommonValues): void => {
    this.#forAll = choices
    keepForAll(this.#shop, choices)
    clearTimeout(this.#choiceTimer)
    this.#choiceTimer = setTimeout(() => this.#sendChoices(), CHOICE_MS)
    this.#redraw()
  }

  #sendChoices(): void {
    const open = new Set(this.#kept.map(({ batch }) => batch))
    for (const row of this.#state.rows)
      if (isOnItsWay(row)) open.add(this.#uppy.getFile(row.id).meta.batch)
    const files = batchFilesOf(this.#forAll)
    for (const batch of open) changeBatch(batch, files).catch(this.#fail)
  }

  /** The operation maps these files to a product: their rows show it when it has ended. */
  readonly followMapping = async (ids: readonly string[], operation: string): Promise<void> => {
    this.#mapping = new Set([...this.#mapping, ...ids])
    this.#redraw()
    try {
      if (!(await untilEnded(operation)))
        this.#fail(new Error(t('Not all files could be mapped: look at the operation’s details')))
      await this.#imports.readAgain(ids)
    } catch (error) {
      this.#fail(error)
    }
    const ended = new Set(ids)
    this.#mapping = new Set([...this.#mapping].filter((id) => !ended.has(id)))
    this.#redraw()
  }

  /** Closes the import of a batch again. */
  readonly importAgain = (batch: string): void => this.#imports.forgive(batch)

  /**
   * Gives up interrupted uploads. The complete files of a batch are imported when none of its files
   * is on its way any more.
   */
  readonly discardKept = (files: readonly KeptFile[]): void => {
    const discarded = new Set(files.map(({ id }) => id))
    this.#kept = this.#kept.filter(({ id }) => !discarded.has(id))
    const going = new Set(this.#kept.map(({ batch }) => batch))
    for (const row of this.#state.rows)
      if (isOnItsWay(row)) going.add(this.#uppy.getFile(row.id).meta.batch)
    this.#redraw()
    for (const batch of new Set(files.map(({ batch }) => batch)))
      if (!going.has(batch)) void startBatch(batch).catch(() => undefined)
  }
}

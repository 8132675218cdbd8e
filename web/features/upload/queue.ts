// The queue of uploads. It lives as long as the tab, on every page: files are sent, and each is
// imported when it has arrived. When no file of a batch is being sent any more, its import is
// closed.
import { createBatch, startBatch } from './calls.ts'
import { type ChosenFile } from '../../shell/components/chosen-files.ts'
import { setUploading } from '../../shell/url-state/uploading.ts'
import { createImports, type Import } from './imports.ts'
import { createMemory, keepBatches, type KeptFile, readBatches, readKept } from './kept.ts'
import { type ArrivedUpload } from './outcomes.ts'
import { refusalOf, type UploadRefusal } from './refusal.ts'
import { type AddedFile, chosenFileOf, keptFileOf, uppyFileOf } from './queue-files.ts'
import {
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
import { createSpeed } from './speed.ts'
import { createUploader, idOf } from './uploader.ts'

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
  /** Why the last action on the queue failed. */
  failure: Error | null
  /** The browser has no storage left to remember unfinished uploads. */
  storageFull: boolean
}

const DRAWN_MS = 250
export type UploadQueue = ReturnType<typeof createQueue>

export function createQueue(shop: string) {
  const uppy = createUploader(shop)
  const speed = createSpeed()
  const imports = createImports(changed, (batches) => keepBatches(shop, batches))
  const listeners = new Set<() => void>()
  /** Batches with a file from this tab. Other tabs close their own batches. */
  const begun = new Set<string>()
  const refusals = new Map<string, UploadRefusal>()
  let kept = readKept(shop)
  let failure: Error | null = null
  let storageFull = false
  const memory = createMemory(shop)
  let timer: ReturnType<typeof setTimeout> | undefined
  let state = draw()

  function draw(): QueueState {
    const rows = uppy
      .getFiles()
      .map((file) => rowOf(file, imports.outcome(file.id), refusals.get(file.id)))
    const totals = totalsOf(rows)
    const now = Date.now()
    const moving = rows.some(isMoving)
    if (moving) speed.note(totals.sent, now)
    else speed.reset()
    const rate = speed.at(now)
    const seconds = rate !== null && rate > 0 ? bytesToSend(rows) / rate : null
    const imported = { imports: imports.list(), errors: imports.errors() }
    return {
      rows,
      totals,
      speed: rate,
      seconds,
      kept,
      ...imported,
      failure,
      storageFull,
    }
  }

  /** Rendered soon, but not for every chunk that is sent. */
  function changed(): void {
    timer ??= setTimeout(redraw, DRAWN_MS)
  }

  function redraw(): void {
    clearTimeout(timer)
    timer = undefined
    state = draw()
    setUploading(state.rows.filter(isOnItsWay).length)
    remember()
    listeners.forEach((listener) => listener())
    importArrived()
    // The speed falls while nothing is sent.
    if (state.rows.some(isMoving)) changed()
  }

  /** Stored for the next visit, in case the tab is closed. */
  function remember(): void {
    const unfinished = state.rows.filter(
      (row) => isOnItsWay(row) || (row.status === 'failed' && !imports.has(row.id)),
    )
    const room = memory([...kept, ...unfinished.flatMap((row) => keptFileOf(uppy, row))])
    if (storageFull === room) changed()
    storageFull = !room
  }

  /** Records files that have arrived, and closes the imports of batches without further files. */
  function importArrived(): void {
    const going = new Set(kept.map(({ batch }) => batch))
    const arrived: ArrivedUpload[] = []
    for (const row of state.rows) {
      const file = uppy.getFile(row.id)
      if (!file) continue
      const { batch } = file.meta
      if (isOnItsWay(row)) going.add(batch)
      if (row.arrived) begun.add(batch)
      if (row.status !== 'verifying' || imports.has(row.id)) continue
      arrived.push({ id: row.id, batch, upload: (file.uploadURL ?? '').split('/').at(-1)! })
    }
    if (arrived.length > 0) imports.arrived(arrived)
    for (const batch of going) imports.reopen(batch)
    for (const batch of begun) if (!going.has(batch)) void imports.close(batch)
  }

  imports.follow(readBatches(shop))
  uppy.on('state-update', changed)
  uppy.on('upload-error', (file, _error, answer) => {
    const refusal = refusalOf(answer)
    if (file && refusal) refusals.set(file.id, refusal)
  })
  uppy.on('restriction-failed', (_file, error) => fail(error))
  function fail(error: unknown): void {
    failure = error as Error
    changed()
  }
  /**
   * Each operation once, even for several of its files. An operation that cannot be retried gives
   * the reason.
   */
  const retry = (ids: readonly string[]) => {
    failure = null
    const imported = ids.filter(imports.has)
    if (imported.length > 0) void imports.retry(imported).then(changed, fail)
    for (const id of ids.filter((one) => !imports.has(one))) {
      refusals.delete(id)
      void uppy.retryUpload(id)
    }
    changed()
  }
  const remove = (ids: readonly string[]) => {
    if (ids.length === 0) return
    uppy.removeFiles([...ids])
    imports.forget(ids)
    ids.forEach((id) => refusals.delete(id))
  }
  const each = (of: (row: UploadRow) => boolean, act: (id: string) => void) => () =>
    state.rows.filter(of).forEach(({ id }) => act(id))
  return {
    state: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /**
     * `known`: unfinished uploads of an earlier visit, which need no new question. `underWay`:
     * files that are in the queue, which are not added again.
     */
    sortChosen: (files: readonly ChosenFile[]) => {
      const under = new Set(state.rows.filter(isUnderWay).map(({ id }) => id))
      const before = new Set(kept.map(({ id }) => id))
      const sorted = {
        fresh: [] as ChosenFile[],
        known: [] as ChosenFile[],
        underWay: [] as ChosenFile[],
      }
      for (const file of files) {
        const id = idOf(shop, file)
        sorted[under.has(id) ? 'underWay' : before.has(id) ? 'known' : 'fresh'].push(file)
      }
      return sorted
    },
    /**
     * Names that will be taken by files in the queue, except these: files that are being sent or
     * may be retried.
     */
    namesExcept: (but: readonly ChosenFile[]) => {
      const own = new Set(but.map((file) => idOf(shop, file)))
      const rows = state.rows.filter(
        (row) => isUnderWay(row) || (row.status === 'failed' && !row.taken),
      )
      return [...rows, ...kept].filter(({ id }) => !own.has(id)).map(({ filename }) => filename)
    },
    /** The files of these rows, as they were chosen. */
    filesOf: (rows: readonly UploadRow[]): ChosenFile[] =>
      rows.flatMap((row) => chosenFileOf(uppy, row)),
    /**
     * Adds files after those in the queue; ended rows of the same files are removed. Files that were
     * refused because of their names continue where they were stopped. Throws `ApiError`.
     */
    add: async (chosen: readonly AddedFile[]) => {
      const under = new Set(state.rows.filter(isUnderWay).map(({ id }) => id))
      const wanted = new Map(chosen.map((file) => [idOf(shop, file), file]))
      const refused = state.rows.filter(({ id }) => wanted.has(id) && refusals.get(id)?.taken)
      for (const { id } of refused) {
        const { on_conflict } = wanted.get(id)!
        uppy.setFileMeta(id, { ...uppy.getFile(id).meta, on_conflict })
        wanted.delete(id)
      }
      retry(refused.map(({ id }) => id))
      const files = [...wanted].filter(([id]) => !under.has(id)).map(([, file]) => file)
      const before = new Map(kept.map((file) => [file.id, file]))
      const fresh = files.filter((file) => !before.has(idOf(shop, file))).length
      const batch = fresh > 0 ? (await createBatch(fresh)).id : ''
      failure = null
      remove(state.rows.filter((row) => hasEnded(row) && wanted.has(row.id)).map(({ id }) => id))
      if (files.length > 0)
        uppy.addFiles(files.map((file) => uppyFileOf(file, before.get(idOf(shop, file)), batch)))
      kept = kept.filter(({ id }) => !uppy.getFile(id))
      redraw()
    },
    pause: (id: string) => void uppy.pauseResume(id),
    resume: (id: string) => void uppy.pauseResume(id),
    cancel: (id: string) => remove([id]),
    retry: (id: string) => retry([id]),
    pauseAll: each(isMoving, (id) => uppy.pauseResume(id)),
    resumeAll: each(
      ({ status }) => status === 'paused',
      (id) => uppy.pauseResume(id),
    ),
    cancelAll: () => remove(state.rows.filter(isOnItsWay).map(({ id }) => id)),
    /** Without files whose names are taken: for these the merchant is asked. */
    retryFailed: () =>
      retry(
        state.rows.filter(({ status, taken }) => status === 'failed' && !taken).map(({ id }) => id),
      ),
    /** Removes ended rows, successful and failed. */
    clear: () => remove(state.rows.filter(hasEnded).map(({ id }) => id)),
    /** Removes ended rows of these files. */
    removeEnded: (files: readonly ChosenFile[]) => {
      const ids = new Set(files.map((file) => idOf(shop, file)))
      remove(state.rows.filter((row) => hasEnded(row) && ids.has(row.id)).map(({ id }) => id))
    },
    /** The merchant has closed the error message. */
    dismissFailure: () => {
      failure = null
      changed()
    },
    importAgain: imports.forgive,
    /** Imports the complete files of interrupted batches, and gives up the others. */
    discardKept: () => {
      const batches = new Set(kept.map(({ batch }) => batch))
      kept = []
      redraw()
      for (const batch of batches) void startBatch(batch).catch(() => undefined)
    },
  }
}

// The queue of uploads. It lives as long as the tab, on every page: files go up, and each is
// imported when it has arrived. When nothing of a batch is on its way any more, its import ends.
import { createBatch, startBatch } from '../../../client/uploads.ts'
import { type ChosenFile } from '../../../url-state/chosen-files.ts'
import { setUploading } from '../../../url-state/uploading.ts'
import { type Conflict, type UploadStatus } from '../../../labels/upload.ts'
import { createImports, type Import } from './imports.ts'
import { createMemory, keepBatches, type KeptFile, readBatches, readKept } from './kept.ts'
import { type Arrived } from './outcomes.ts'
import { refusalOf, type UploadRefusal } from './refusal.ts'
import { bytesToSend, rowOf, totalsOf, type UploadRow, type UploadTotals } from './rows.ts'
import { createSpeed } from './speed.ts'
import { createUploader, idOf } from './uploader.ts'

export interface AddedFile extends ChosenFile {
  on_conflict: Conflict
}

export interface QueueState {
  rows: readonly UploadRow[]
  totals: UploadTotals
  /** Bytes a second; null while nothing moves. */
  speed: number | null
  seconds: number | null
  /** What was on its way when the page was left, and has not been chosen again. */
  kept: readonly KeptFile[]
  imports: readonly Import[]
  /** Batches that could not be imported. */
  errors: readonly (readonly [batch: string, error: Error])[]
  /** Why the last thing that was asked of the queue could not be done. */
  failure: Error | null
  /** The browser has no room to remember what is on its way. */
  forgetful: boolean
}

const DRAWN_MS = 250
const MOVING: readonly UploadStatus[] = ['queued', 'uploading']
const isMoving = ({ status }: UploadRow) => MOVING.includes(status)
const isOnItsWay = (row: UploadRow) => isMoving(row) || row.status === 'paused'
/** Its outcome is not known yet. */
const isUnderWay = (row: UploadRow) => isOnItsWay(row) || row.status === 'verifying'
const hasEnded = (row: UploadRow) => !isUnderWay(row)

export type UploadQueue = ReturnType<typeof createQueue>

export function createQueue(shop: string) {
  const uppy = createUploader(shop)
  const speed = createSpeed()
  const imports = createImports(changed, (batches) => keepBatches(shop, batches))
  const listeners = new Set<() => void>()
  /** Batches of which something has arrived from this tab. Another tab’s are not ours to end. */
  const begun = new Set<string>()
  const refusals = new Map<string, UploadRefusal>()
  let kept = readKept(shop)
  let failure: Error | null = null
  let forgetful = false
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
    return { rows, totals, speed: rate, seconds, kept, ...imported, failure, forgetful }
  }

  /** Drawn soon, and not with every piece that goes up. */
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
    // The speed falls while nothing comes through.
    if (state.rows.some(isMoving)) changed()
  }

  /** For the next visit, should this one end too soon. */
  function remember(): void {
    const unfinished = state.rows.filter(
      (row) => isOnItsWay(row) || (row.status === 'failed' && !imports.has(row.id)),
    )
    const now = unfinished.flatMap(({ id, folder, size }) => {
      const { meta } = uppy.getFile(id) ?? {}
      return meta
        ? [
            {
              id,
              folder,
              size,
              filename: meta.filename,
              on_conflict: meta.on_conflict,
              batch: meta.batch,
            },
          ]
        : []
    })
    const room = memory([...kept, ...now])
    if (forgetful === room) changed()
    forgetful = !room
  }

  /** Notes what has arrived, and ends the imports of batches of which nothing more comes. */
  function importArrived(): void {
    const going = new Set(kept.map(({ batch }) => batch))
    const arrived: Arrived[] = []
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
  /** Each operation once, however many of its files. What can't be tried again says why. */
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
     * `known`: on their way when the page was left, so that nothing need be asked again.
     * `underWay`: now, and not added again.
     */
    told: (files: readonly ChosenFile[]) => {
      const under = new Set(state.rows.filter(isUnderWay).map(({ id }) => id))
      const before = new Set(kept.map(({ id }) => id))
      const told = {
        fresh: [] as ChosenFile[],
        known: [] as ChosenFile[],
        underWay: [] as ChosenFile[],
      }
      for (const file of files) {
        const id = idOf(shop, file)
        told[under.has(id) ? 'underWay' : before.has(id) ? 'known' : 'fresh'].push(file)
      }
      return told
    },
    /**
     * Names that are going to be taken: those of files that are under way, or may be tried again,
     * but for these.
     */
    names: (but: readonly ChosenFile[]) => {
      const own = new Set(but.map((file) => idOf(shop, file)))
      const rows = state.rows.filter(
        (row) => isUnderWay(row) || (row.status === 'failed' && !row.taken),
      )
      return [...rows, ...kept].filter(({ id }) => !own.has(id)).map(({ filename }) => filename)
    },
    /** The files of these rows, as they were chosen. */
    filesOf: (rows: readonly UploadRow[]): ChosenFile[] =>
      rows.flatMap(({ id }) => {
        const file = uppy.getFile(id)
        if (!file || !(file.data instanceof File)) return []
        return [{ data: file.data, path: String(file.meta.relativePath ?? file.data.name) }]
      }),
    /**
     * Sends them, behind those that are on their way; a row of the same file that has ended makes
     * room. Throws `ApiError`.
     */
    add: async (chosen: readonly AddedFile[]) => {
      const under = new Set(state.rows.filter(isUnderWay).map(({ id }) => id))
      const wanted = new Map(chosen.map((file) => [idOf(shop, file), file]))
      const files = [...wanted].filter(([id]) => !under.has(id)).map(([, file]) => file)
      const before = new Map(kept.map((file) => [file.id, file]))
      const fresh = files.filter((file) => !before.has(idOf(shop, file))).length
      const batch = fresh > 0 ? (await createBatch(fresh)).id : ''
      failure = null
      remove(state.rows.filter((row) => hasEnded(row) && wanted.has(row.id)).map(({ id }) => id))
      uppy.addFiles(
        files.map((file) => {
          const { data, path, on_conflict } = file
          const old = before.get(idOf(shop, file))
          const wishes = old ?? { filename: data.name, on_conflict, batch }
          const meta = {
            filename: wishes.filename,
            on_conflict: wishes.on_conflict,
            batch: wishes.batch,
          }
          return {
            name: data.name,
            type: data.type,
            data,
            meta: { name: data.name, relativePath: path, ...meta },
          }
        }),
      )
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
    /** Not those whose names are taken: of these is asked what becomes of them. */
    retryFailed: () =>
      retry(
        state.rows.filter(({ status, taken }) => status === 'failed' && !taken).map(({ id }) => id),
      ),
    /** Those that are through, and those that failed, are shown no more. */
    clear: () => remove(state.rows.filter(hasEnded).map(({ id }) => id)),
    /** Rows of these files that have ended are shown no more. */
    leave: (files: readonly ChosenFile[]) => {
      const ids = new Set(files.map((file) => idOf(shop, file)))
      remove(state.rows.filter((row) => hasEnded(row) && ids.has(row.id)).map(({ id }) => id))
    },
    /** What could not be done was read. */
    dismiss: () => {
      failure = null
      changed()
    },
    importAgain: imports.forgive,
    /**
     * Of what was interrupted, the files that had arrived whole are imported; the others are given
     * up.
     */
    forgetKept: () => {
      const batches = new Set(kept.map(({ batch }) => batch))
      kept = []
      redraw()
      for (const batch of batches) void startBatch(batch).catch(() => undefined)
    },
  }
}

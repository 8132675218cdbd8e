// The queue of uploads. It lives as long as the tab, whatever page is shown: files go up, and when nothing of a batch is on its
// way any more, what has arrived of it is imported.
import { createBatch, startBatch } from '../../../client/uploads.ts'
import { type ChosenFile } from '../../../place/chosen-files.ts'
import { setUploading } from '../../../place/uploading.ts'
import { type Conflict, type UploadStatus } from '../../../words/upload.ts'
import { createImports, type Arrived, type Import } from './imports.ts'
import { keep, type KeptFile, readKept } from './kept.ts'
import { bytesToSend, rowOf, totalsOf, type UploadRow, type UploadTotals } from './rows.ts'
import { createSpeed } from './speed.ts'
import { createUploader, idOf, refusalText } from './uploader.ts'

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
}

const DRAWN_MS = 250
const MOVING: readonly UploadStatus[] = ['queued', 'uploading']
const isMoving = ({ status }: UploadRow) => MOVING.includes(status)
const isOnItsWay = (row: UploadRow) => isMoving(row) || row.status === 'paused'

export type UploadQueue = ReturnType<typeof createQueue>

export function createQueue(shop: string) {
  const uppy = createUploader(shop)
  const speed = createSpeed()
  const imports = createImports(changed)
  const listeners = new Set<() => void>()
  const refusals = new Map<string, string>()
  let kept = readKept(shop)
  let timer: ReturnType<typeof setTimeout> | undefined
  let state = draw()

  function draw(): QueueState {
    const rows = uppy.getFiles().map((file) => rowOf(file, imports.outcome(file.id), refusals.get(file.id)))
    const totals = totalsOf(rows)
    const now = Date.now()
    const moving = rows.some(isMoving)
    if (moving) speed.note(totals.sent, now)
    else speed.reset()
    const rate = speed.at(now)
    const seconds = rate !== null && rate > 0 ? bytesToSend(rows) / rate : null
    return { rows, totals, speed: rate, seconds, kept, imports: imports.list(), errors: imports.errors() }
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
    const unfinished = state.rows.filter((row) => isOnItsWay(row) || (row.status === 'failed' && !imports.has(row.id)))
    const now = unfinished.flatMap(({ id, folder, size }) => {
      const { meta } = uppy.getFile(id) ?? {}
      return meta
        ? [{ id, folder, size, filename: meta.filename, on_conflict: meta.on_conflict, batch: meta.batch }]
        : []
    })
    keep(shop, [...kept, ...now])
  }

  function importArrived(): void {
    const going = new Set(kept.map(({ batch }) => batch))
    const arrived = new Map<string, Arrived[]>()
    for (const row of state.rows) {
      const meta = uppy.getFile(row.id)?.meta
      if (!meta) continue
      if (isOnItsWay(row)) going.add(meta.batch)
      if (row.status !== 'verifying' || imports.has(row.id)) continue
      arrived.set(meta.batch, [
        ...(arrived.get(meta.batch) ?? []),
        { id: row.id, filename: meta.filename, batch: meta.batch },
      ])
    }
    for (const [batch, files] of arrived) if (!going.has(batch)) void imports.start(batch, files)
  }

  uppy.on('state-update', changed)
  uppy.on('upload-error', (file, _error, answer) => {
    const text = refusalText(answer)
    if (file && text !== null) refusals.set(file.id, text)
  })
  const retry = (id: string) => {
    if (imports.has(id)) return void imports.retry(id).then(changed, changed)
    refusals.delete(id)
    void uppy.retryUpload(id)
  }
  const each = (of: (row: UploadRow) => boolean, act: (id: string) => void) => () =>
    state.rows.filter(of).forEach(({ id }) => act(id))
  return {
    state: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Was it on its way when the page was left? Then nothing need be asked again. */
    knows: (file: ChosenFile) => kept.some(({ id }) => id === idOf(shop, file)),
    /** Sends them, behind those that are on their way. Throws `ApiError`. */
    add: async (files: readonly AddedFile[]) => {
      const before = new Map(kept.map((file) => [file.id, file]))
      const fresh = files.filter((file) => !before.has(idOf(shop, file))).length
      const batch = fresh > 0 ? (await createBatch(fresh)).id : ''
      uppy.addFiles(
        files.map((file) => {
          const { data, path, on_conflict } = file
          const old = before.get(idOf(shop, file))
          const wishes = old ?? { filename: data.name, on_conflict, batch }
          const meta = { filename: wishes.filename, on_conflict: wishes.on_conflict, batch: wishes.batch }
          return { name: data.name, type: data.type, data, meta: { name: data.name, relativePath: path, ...meta } }
        }),
      )
      kept = kept.filter(({ id }) => !uppy.getFile(id))
      redraw()
    },
    pause: (id: string) => void uppy.pauseResume(id),
    resume: (id: string) => void uppy.pauseResume(id),
    cancel: (id: string) => uppy.removeFile(id),
    retry,
    pauseAll: each(isMoving, (id) => uppy.pauseResume(id)),
    resumeAll: each(
      ({ status }) => status === 'paused',
      (id) => uppy.pauseResume(id),
    ),
    cancelAll: () => uppy.removeFiles(state.rows.filter(isOnItsWay).map(({ id }) => id)),
    retryFailed: each(({ status }) => status === 'failed', retry),
    /** Those that are through are shown no more. */
    clear: () => uppy.removeFiles(state.rows.filter(({ status }) => status === 'complete').map(({ id }) => id)),
    importAgain: imports.forgive,
    /** Of what was interrupted, the files that had arrived whole are imported; the others are given up. */
    forgetKept: () => {
      const batches = new Set(kept.map(({ batch }) => batch))
      kept = []
      redraw()
      for (const batch of batches) void startBatch(batch).catch(() => undefined)
    },
  }
}

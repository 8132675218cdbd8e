// Makes the samples that files' settings ask for: of new files, new versions and changed lengths.
// The earlier sample is shown until the new one is ready.
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { PortError, type StagedBlob, ownValue } from '../../../plugins/contract/index.ts'
import { forShop, type ShopScope } from '../../core/db/for-shop.ts'
import type { Logger } from '../../core/log.ts'
import { present } from '../../core/lazy.ts'
import type { BackgroundTask } from '../../core/queue/background.ts'
import { findFfmpeg, takeBeginning } from '../../ports/children/ffmpeg.ts'
import { withWorkFolder } from '../../ports/children/work-folder.ts'
import { copyOut, portError, type StoredBytes } from '../../ports/item-bytes.ts'
import type { CheckBlob } from '../../ports/repair.ts'
import { checkBlob, type BlobCheckParts } from '../../files/blob-checks.ts'
import { createSandboxes } from '../../ports/sandbox.ts'
import { stageBytes } from '../../ports/catalog.ts'
import {
  CURRENT,
  dropSample,
  sampleSource,
  WANTED_LENGTH,
  writeSample,
  type SampleProblem,
  type SampleSource,
} from './model.ts'

const MAX_ATTEMPTS = 3
/** Files queued in one sweep. */
const MAX_WANTED = 200
const SCRIPT = new URL('./sample-child.ts', import.meta.url)
const LIMITS = {
  memoryBytes: 1024 ** 3,
  fileBytes: 512 * 1024 ** 2,
  wallMs: 60_000,
  parallel: 1,
  uses: 1,
  idleMs: 1000,
}
const MAX_SOURCE_BYTES = 1024 ** 3

export function sampleTask(parts: BlobCheckParts): BackgroundTask {
  const { database, stores, log } = parts
  const check: CheckBlob = (blob, signal) => checkBlob(parts, blob, signal)
  return {
    name: 'make-samples',
    concurrency: 1,
    wanted: `(select f.shop_id, f.id::text as key, now() as due_at from ${CURRENT}
        join shops s on s.id = f.shop_id and s.uninstalled_at is null
        left join samples m on m.shop_id = f.shop_id and m.file_id = f.id
        where (f.sample_pages is not null or f.sample_seconds is not null)
          and ${WANTED_LENGTH} is not null
          and (m.source_hash, m.length) is distinct from (v.hash, ${WANTED_LENGTH})
        limit ${MAX_WANTED})
      union all
      (select f.shop_id, f.id::text, now() from samples m
        join ${CURRENT} on f.shop_id = m.shop_id and f.id = m.file_id
        where m.length > 0 and ${WANTED_LENGTH} is null limit ${MAX_WANTED})`,
    run: async ({ shop, key, attempt, signal }) => {
      const scope = forShop(database, present(shop, 'the task’s shop'))
      const source = await sampleSource(scope, key)
      if (!source) {
        await dropSample(scope, key)
        return null
      }
      const made = await make({ stores, check, log }, scope, source, signal).catch(
        (error: unknown) => {
          signal.throwIfAborted()
          if (!(error instanceof PortError)) throw error
          if (error.retryable && attempt < MAX_ATTEMPTS) throw error
          return problemOf(error)
        },
      )
      await scope.transaction((tx) => writeSample(tx, key, source, made))
      return null
    },
  }
}

async function make(
  { stores, check, log }: StoredBytes & { log: Logger },
  scope: ShopScope,
  source: SampleSource,
  signal: AbortSignal,
): Promise<StagedBlob> {
  const { location, length, size_bytes } = source
  if (size_bytes > MAX_SOURCE_BYTES) throw portError('file_too_large')
  const store = stores.get(location)
  if (!store) throw portError('location_not_found')
  // Each child makes one sample, so nothing is lost by closing them with it.
  const sandboxes = createSandboxes(log)
  const ask = <Answer>(input: unknown, answer: z.ZodType<Answer>) =>
    sandboxes.of(scope.shop).run(SCRIPT, { input, answer, limits: LIMITS, signal })
  return withWorkFolder(async (folder) => {
    const [from, to] = [path.join(folder, 'file'), path.join(folder, 'sample')]
    await copyOut(scope, { stores, check }, source, from, signal)
    const isDocument = source.content_type.toLowerCase().startsWith('application/pdf')
    if (isDocument) await ask({ do: 'cut', from, to, pages: length }, z.number())
    else {
      const ffmpeg = await findFfmpeg()
      if (ffmpeg === null) throw new NoSample('not_supported')
      const seconds = await ask({ do: 'measure', from }, z.number())
      const shown = Math.min(length, Math.floor(seconds / 2))
      if (shown < 1) throw new NoSample('too_short')
      await takeBeginning(ffmpeg, from, to, shown, signal)
    }
    const type = isDocument ? 'application/pdf' : 'audio/mpeg'
    const place = { store, shop: scope.shop, location }
    return stageBytes(place, createReadStream(to), type, signal)
  }).finally(() => sandboxes.close())
}

class NoSample extends PortError {
  readonly problem: SampleProblem
  constructor(problem: SampleProblem) {
    super('plugin_failed', problem, false)
    this.problem = problem
  }
}

const PROBLEMS: Readonly<Record<string, SampleProblem>> = {
  pdf_encrypted: 'encrypted',
  pdf_page_out_of_range: 'too_short',
  file_too_large: 'too_large',
  memory_limit: 'too_large',
  time_limit: 'too_large',
}

const problemOf = (error: PortError): SampleProblem =>
  error instanceof NoSample ? error.problem : (ownValue(PROBLEMS, error.code) ?? 'damaged')

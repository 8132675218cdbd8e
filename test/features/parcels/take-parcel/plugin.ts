// First step of every import of parcels.
import { Readable } from 'node:stream'
import { z } from 'zod'
import { definePlugin, eachSource, say, sizeProblem } from '../contract/index.ts'

const CONCURRENCY = 4

const eachParcel = eachSource('parcel', 'It is not a parcel')

/** Outcomes carry `bytes`. Items fail with `file_not_found`, or the error of the storage location. */
export const takeParcel = definePlugin({
  id: 'take-parcel',
  kind: 'fetch',
  title: 'Open parcels',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['parcels', 'stage'],
  worksOn: 'imports',
  bytes: true,
  summary: () => say('Opens the parcels'),
  plan: (items, _, { parcels, limits, signal }) =>
    eachParcel(
      items,
      CONCURRENCY,
      signal,
      async ({ id }) => sizeProblem(await parcels.sizeOf(id), limits) ?? { status: 'ok' },
    ),
  run: (items, _, { parcels, stage, signal }) =>
    eachParcel(items, CONCURRENCY, signal, async ({ id }) => ({
      status: 'ok',
      bytes: await stage.write(Readable.from([await parcels.open(id)]), null, signal),
    })),
})

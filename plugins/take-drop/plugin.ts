// First step of every import from a drop folder. The drop server stored the bytes when the file was
// closed; this step takes the file, so that no client changes it during the import.
import { z } from 'zod'
import { definePlugin, eachSource, sizeProblem, say, sayPlain } from '../contract/index.ts'
import type {} from './port.ts'

const CONCURRENCY = 8

const eachDropped = eachSource('drop', sayPlain('It is not from a drop folder'))

/**
 * Outcomes carry `bytes`. Items fail with `drop_file_gone`, or the error of the storage location.
 */
export const takeDrop = definePlugin({
  id: 'take-drop',
  kind: 'fetch',
  title: 'Read dropped files',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['drop'],
  worksOn: 'imports',
  summary: () => say('Reads the files from the drop folder'),
  plan: (items, _, { drop, limits, signal }) =>
    eachDropped(
      items,
      CONCURRENCY,
      signal,
      async ({ id, claim }) =>
        sizeProblem(await drop.sizeOf(id, claim), limits) ?? { status: 'ok' },
    ),
  run: (items, _, { drop, signal }) =>
    eachDropped(items, CONCURRENCY, signal, async ({ id, claim }) => ({
      status: 'ok',
      bytes: await drop.take(id, claim),
    })),
})

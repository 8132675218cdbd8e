// First step of every import of uploads: moves the received bytes into the shop's storage location.
import { z } from 'zod'
import { definePlugin, eachSource, sizeProblem, say, sayPlain } from '../contract/index.ts'
import type {} from './port.ts'

const CONCURRENCY = 4

const eachUpload = eachSource('upload', sayPlain('It was not uploaded'))

/** Outcomes carry `bytes`. Items fail with `upload_lost`, or the error of the storage location. */
export const takeUpload = definePlugin({
  id: 'take-upload',
  kind: 'fetch',
  title: 'Read uploads',
  options: z.strictObject({}),
  undo: 'fields',
  needs: ['uploads'],
  worksOn: 'imports',
  bytes: true,
  summary: () => say('Reads the uploaded files'),
  plan: (items, _, { uploads, limits, signal }) =>
    eachUpload(
      items,
      CONCURRENCY,
      signal,
      async ({ id }) => sizeProblem(await uploads.sizeOf(id), limits) ?? { status: 'ok' },
    ),
  run: (items, _, { uploads, signal }) =>
    eachUpload(items, CONCURRENCY, signal, async ({ id }) => ({
      status: 'ok',
      bytes: await uploads.take(id, signal),
    })),
})

// The shop's settings, and the mail that was sent on its behalf.
import { useChangeOf } from './change.ts'
import { call } from './client.ts'
import { edit, type KnownTag } from './edits.ts'
import { type Query } from './endpoints.ts'
import { pluginsQuery } from './plugins.ts'
import { SLOW_MS } from './polling.ts'
import { keyOf, useRead } from './reads.ts'
import { type ShopSettings } from './types.ts'
import { showAnswer } from './show-answer.ts'

export const useSettings = () => useRead('GET /api/settings')

/** The initial choices of plugins' forms depend on the settings. */
export const useChangeSettings = (known: KnownTag) =>
  useChangeOf(
    [pluginsQuery.queryKey],
    (body: Partial<ShopSettings>) => edit('PATCH /api/settings', { body }, known),
    { show: (client, settings) => showAnswer(client, keyOf('GET /api/settings'), settings) },
  )

export const useMessages = (query: Query) =>
  useRead('GET /api/messages', { query, keep: true, poll: SLOW_MS })

/** Reads a message with what was reported about it. */
export const useMessage = (id: string) => useRead('GET /api/messages/{id}', { path: { id } })

/** Sends a message again, to the recipients that the settings have now. */
export const useResendMessage = () =>
  useChangeOf([keyOf('GET /api/messages')], (id: string) =>
    call('POST /api/messages/{id}/send', { path: { id } }),
  )

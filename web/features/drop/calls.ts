// Drop folders: how to connect, the accounts, the files in the folders, the last connections.
import { ifFailed, useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { type Answer } from '../../shell/client/endpoints.ts'
import { CALM_MS, LIVE_MS, SLOW_MS } from '../../shell/client/polling.ts'
import { keyOf, useRead, useReadAll, useReadPages } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export type Drop = Schemas['Drop']
/** How dropped files are imported; all of it can be changed. */
export type DropSettings = Required<Schemas['DropSettingsChange']>
export type DropAccount = Schemas['DropAccount']
export type DropFile = Schemas['DropFile']
export type DropConnection = Schemas['DropConnection']
export type DropAccountChange = Schemas['DropAccountChange']

/** The only answers that contain the password. */
export type DropAccountWithPassword = Answer<'POST /api/drop/accounts'>

const DROP = ['drop']
const ACCOUNTS = ['drop', 'accounts']
const SETTINGS = ['drop', 'settings']

export const useDrop = () => useRead('GET /api/drop', { key: SETTINGS, poll: CALM_MS })

export const useChangeDrop = (known: KnownTag) =>
  useChangeOf(
    ifFailed(SETTINGS),
    (body: Partial<DropSettings>) => edit('PATCH /api/drop', { body }, known),
    { show: (client, drop) => showAnswer(client, SETTINGS, drop) },
  )

export const useDropAccounts = () => useReadAll('GET /api/drop/accounts', { poll: 8 * SLOW_MS })

export const useCreateDropAccount = () =>
  useChangeOf([ACCOUNTS], (body: Schemas['DropAccountRequest']) =>
    call('POST /api/drop/accounts', { body }),
  )

export const useDropAccount = (id: string) =>
  useRead('GET /api/drop/accounts/{id}', { path: { id } })

export const useChangeDropAccount = (known: KnownTag = { current: undefined }) =>
  useChangeOf(
    [ACCOUNTS],
    ({ id, change }: { id: string; change: DropAccountChange }) =>
      edit('PATCH /api/drop/accounts/{id}', { path: { id }, body: change }, known),
    // The dialog, opened again before the list is read, begins with what was just saved.
    {
      show: (client, saved) =>
        showAnswer(client, keyOf('GET /api/drop/accounts/{id}', { path: { id: saved.id } }), saved),
    },
  )

export const useNewDropPassword = () =>
  useChangeOf([ACCOUNTS], (id: string) =>
    call('POST /api/drop/accounts/{id}/password', { path: { id } }),
  )

export const useDeleteDropAccount = () =>
  useChangeOf([ACCOUNTS], (id: string) => call('DELETE /api/drop/accounts/{id}', { path: { id } }))

const SHOWN_FILES = 50

/** The folder that is listed: files that are not imported yet, or those that imports have moved. */
export type DropFolder = '' | 'processed' | 'failed'

/** Read page by page, in the order of paths. */
export const useDropFiles = (state: DropFolder) =>
  useReadPages('GET /api/drop/files', { query: { state, limit: SHOWN_FILES }, poll: CALM_MS })

/** The running transfers, with their speeds. */
export const useTransfers = () =>
  useRead('GET /api/drop/files', {
    query: { state: 'writing', limit: SHOWN_FILES },
    poll: (files) => (files?.data.length ? LIVE_MS : CALM_MS),
  })

export const useDropConnections = () => useRead('GET /api/drop/connections', { poll: CALM_MS })

/**
 * Moves a failed file back to the folder where it was dropped, so that the next import takes it
 * again.
 */
export const useRetryDropFile = () =>
  useChangeOf([DROP], (id: string) => call('POST /api/drop/files/{id}/retry', { path: { id } }))

export const useDeleteDropFile = () =>
  useChangeOf([DROP], (id: string) => call('DELETE /api/drop/files/{id}', { path: { id } }))

/** Imports the waiting files, or only previews the import. Returns the operation. */
export const useImportDropped = () =>
  useChangeOf([DROP, ['operations']], (body: { dry_run: boolean }) =>
    call('POST /api/drop/import', { body }),
  )

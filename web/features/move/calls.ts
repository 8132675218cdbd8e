// Moves from other apps: an export is sent, looked at, and imported.
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { keyOf, useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export type Move = Schemas['Move']
export type MoveFinding = Schemas['MoveFinding']
export type MoveField = Move['columns'][number]['field']

const keyOfMove = (id: string) => keyOf('GET /api/moves/{id}', { path: { id } })
const LIST = keyOf('GET /api/moves')

export const useMove = (id: string) => useRead('GET /api/moves/{id}', { path: { id } })

/** Newest first. */
export const useMoves = () => useRead('GET /api/moves')

/** Sends an export; the answer says what it would import. */
export const useSendExport = () =>
  useChangeOf(
    [LIST],
    (file: File) =>
      call('POST /api/moves', {
        query: { filename: file.name },
        file: { bytes: file, type: 'text/csv' },
      }),
    { show: (client, move) => showAnswer(client, keyOfMove(move.id), move) },
  )

export const useStartMove = (id: string) =>
  useChangeOf([keyOfMove(id), LIST, ['operations']], (body: Schemas['MoveStart']) =>
    call('POST /api/moves/{id}/start', { path: { id }, body }),
  )

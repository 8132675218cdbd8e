// The events of files that change: an operation raises each at its end, for all its files. A change
// outside operations, like that of one file on its page, raises it in its own transaction.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { say, SETTING_NAMES } from '../../plugins/contract/index.ts'
import type { ShopScope } from '../core/db/for-shop.ts'
import { toPublicId } from '../core/ids.ts'
import {
  defineEvent,
  MAX_NAMED_FILES,
  operationFilesData,
  raiseEvent,
} from '../core/outbox/webhook-events.ts'

const data = operationFilesData.extend({
  operation_id: z.string().nullable().describe('null: the files were changed without an operation'),
})

export const fileChanged = defineEvent({
  name: 'file.changed',
  title: say('Files were changed'),
  about:
    'The files whose name, tags, settings, products or packs were changed: one event for all files of an operation',
  starts: say('files were changed'),
  data,
  operations: { of: { worked: true }, content: 'files', about: 'changed' },
})

export const fileReplaced = defineEvent({
  name: 'file.replaced',
  title: say('Files got new contents'),
  about: 'The files that got a new version, or an earlier one again',
  starts: say('files got new contents'),
  data,
  operations: { of: { worked: true }, content: 'files', about: 'replaced' },
})

export const fileTrashed = defineEvent({
  name: 'file.trashed',
  title: say('Files were moved to the trash'),
  about: 'The files that were moved to the trash',
  starts: say('files were moved to the trash'),
  data,
  operations: { of: { worked: true }, content: 'files', about: 'trashed' },
})

/** The fields of a change, in its `after`, that `file.changed` is about. */
export const CHANGED_FIELDS = ['filename', 'tags', 'mappings', 'packs', ...SETTING_NAMES] as const

/** Must be called in the transaction that changes the file (a bare UUID), outside operations. */
export async function raiseEdited(
  tx: ShopScope,
  file: string,
  after: Readonly<Record<string, unknown>>,
): Promise<void> {
  // As an operation's: a file that leaves the trash or goes there has no other change.
  if (after.deleted === true) return raiseFileEvent(tx, fileTrashed, [file])
  if (after.deleted !== undefined) return
  if (after.version !== undefined) await raiseFileEvent(tx, fileReplaced, [file])
  if (CHANGED_FIELDS.some((name) => Object.hasOwn(after, name)))
    await raiseFileEvent(tx, fileChanged, [file])
}

/** One event for all the files: bare UUIDs. Must be called in the transaction that changes them. */
export const raiseFileEvent = (
  tx: ShopScope,
  event: typeof fileChanged,
  files: readonly string[],
): Promise<void> =>
  raiseEvent(tx, event, {
    key: randomUUID(),
    data: {
      operation_id: null,
      total: files.length,
      file_ids: files.slice(0, MAX_NAMED_FILES).map((id) => toPublicId('file', id)),
      more: null,
    },
    files,
  })

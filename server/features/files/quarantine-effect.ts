// Quarantine, which steps ask for: files with viruses are withheld, and released ones delivered again.
import { say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { lastOf } from '../../core/lazy.ts'
import { raiseNotice } from '../../core/outbox/notices.ts'
import { defineEvent, operationFilesData } from '../../core/outbox/webhook-events.ts'
import { defineEffect } from '../../engine/effect.ts'
import { isAbout } from '../../engine/event-files.ts'
import type { OperationRow } from '../../engine/types.ts'
import { quarantinedAmong, quarantineFiles, endQuarantine } from '../../files/quarantine.ts'

const NOT_IN_QUARANTINE = {
  code: 'conflict',
  message: say('The file is not in quarantine'),
} as const

export const quarantineEffect = defineEffect({
  name: 'quarantine',
  prepare: async (tx, _operation, requests) => {
    const releasing = requests.filter(({ values }) => 'released' in lastOf(values))
    const held = await quarantinedAmong(
      tx,
      releasing.map(({ file }) => file),
    )
    return new Map(
      releasing
        .filter(({ file }) => !held.has(file))
        .map(({ item }) => [item, { problem: NOT_IN_QUARANTINE }]),
    )
  },
  write: async (tx, { requested_by: by }, requests) => {
    const wanted = requests.map(({ item, file, values }) => ({ item, file, value: lastOf(values) }))
    await quarantineFiles(
      tx,
      wanted.flatMap(({ file, value }) => ('found' in value ? [{ file, found: value.found }] : [])),
    )
    await endQuarantine(
      tx,
      wanted.flatMap(({ file, value }) =>
        'released' in value ? [{ file, reason: value.released, by }] : [],
      ),
    )
    return new Map(wanted.map(({ item, value }) => [item, { quarantine: value }]))
  },
})

// What is told when an operation with a scan ends: one message for all its files.

const NAME = 'file.quarantined'
/** Steps that scan announce the event. */
export const AT_END = { worked: true, announced: NAME } as const

export const fileQuarantined = defineEvent({
  name: NAME,
  title: say('Files are put in quarantine'),
  about: 'The files in which a virus scanner found something: nobody can download them',
  starts: say('files are put in quarantine'),
  data: operationFilesData,
  operations: { of: AT_END, content: 'files', about: 'quarantined' },
})

const MOST_NAMED = 3

/** Raises a notice about the files that were put in quarantine since the operation began to run. */
export async function noticeQuarantined(
  tx: ShopScope,
  { id, started_at }: Pick<OperationRow, 'id' | 'started_at'>,
): Promise<void> {
  const { count, names } = await tx.one<{ count: number; names: string[] | null }>(
    `select count(*)::int as count, (array_agg(f.filename order by i.position))[1:${MOST_NAMED}] as names
     from items i join operations o on o.shop_id = i.shop_id and o.id = i.operation_id
       join files f on f.shop_id = i.shop_id and f.id = i.file_id
     where i.shop_id = :shop and i.operation_id = :id and ${isAbout('quarantined')}
       and i.finished_at >= coalesce(:since::timestamptz, '-infinity')`,
    { id, since: started_at },
  )
  if (count === 0) return
  const named = (names ?? []).join(', ')
  const files =
    count > MOST_NAMED
      ? say('{names} and {count} more', { names: named, count: count - MOST_NAMED })
      : named
  await raiseNotice(tx, {
    level: 'critical',
    title: say('{count, plural, one {# file is} other {# files are}} in quarantine', { count }),
    body: say(
      'The virus scanner found something in {files}. Nobody can download it: delete it, or release it if you know that it is harmless.',
      { files },
    ),
    operation_id: id,
  })
}

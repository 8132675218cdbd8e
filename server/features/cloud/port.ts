// The plugins' port to a sync: reads its decisions and carries them out.
import { PortError, sayPlain } from '../../../plugins/contract/index.ts'
import type { Cloud as CloudPort, CloudTask } from '../../../plugins/sync-cloud/port.ts'
import type { Cloud } from './cloud.ts'
import { carryOut, type TaskResult } from './carry-out.ts'
import { CloudError, KeysRefused } from './rclone/errors.ts'
import { tasksOf, type SyncTask } from './tasks.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import type { StoredBytes } from '../../ports/item-bytes.ts'
import type { StagePlace } from '../../ports/catalog.ts'

export interface CloudPortParts extends StoredBytes {
  scope: ShopScope
  cloud: Cloud
  place: StagePlace
}

export function createCloudPort({ scope, cloud, ...parts }: CloudPortParts): CloudPort {
  const load = async (sync: string, items: readonly { id: string; position: number }[]) => {
    const found = await tasksOf(
      scope,
      sync,
      items.map(({ position }) => position),
    )
    return new Map(
      items.flatMap(({ id, position }) => {
        const task = found.tasks.get(position)
        return task ? [[id, task] as const] : []
      }),
    )
  }
  return {
    tasksOf: async (sync, items) => {
      const tasks = await load(sync, items)
      return new Map([...tasks].map(([id, task]) => [id, taskView(task)]))
    },
    carryOut: async function* (sync, items, signal) {
      const tasks = await load(sync, items)
      const ids = new Map([...tasks].map(([id, task]) => [task, id]))
      try {
        const results = carryOut({ ...parts, scope, cloud }, sync, [...tasks.values()], signal)
        for await (const result of results)
          yield { item: present(ids.get(result.task), 'The item of a task'), ...resultOf(result) }
      } catch (error) {
        signal.throwIfAborted()
        throw error
      }
    },
  }
}

function resultOf({ bytes, error }: TaskResult) {
  if (error) return { error: error instanceof CloudError ? failure(error) : error }
  return bytes ? { bytes } : {}
}

/** A refused token may only be old, and refused keys say nothing about the object. */
const failure = (error: CloudError) => {
  const retryable =
    error.retryable || error.code === 'cloud_access_revoked' || error instanceof KeysRefused
  return new PortError(error.code, error.message, retryable, {
    cause: error,
    ...(error.retryAfter === null ? {} : { retryAfter: error.retryAfter }),
  })
}

const CONFLICT = {
  code: 'cloud_conflict',
  message: sayPlain('It changed here and at the provider: both are kept, as two files'),
}

function taskView({ kind, path, size_bytes, pack }: SyncTask): CloudTask {
  switch (kind) {
    case 'rename':
    case 'remove':
      return { does: 'change' }
    case 'remove_there':
      return {
        does: 'send',
        says: sayPlain('Deleted at the provider, because it was deleted here'),
      }
    case 'send':
      return { does: 'send', says: sayPlain('Sent to the provider') }
    default: {
      const fetching = { does: 'fetch', path, size_bytes: size_bytes ?? 0, pack } as const
      return kind === 'conflict' ? { ...fetching, warning: CONFLICT } : fetching
    }
  }
}

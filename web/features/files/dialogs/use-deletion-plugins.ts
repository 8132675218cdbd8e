// The plugins of a deletion: the dialog's own, and the one that removes products from files.
import { type Entry, findByWidget, usePlugins } from '../../../shell/client/plugins.ts'
import { type DeletionPlugins } from './deletion.ts'

export function useDeletionPlugins({ plugin }: Entry): DeletionPlugins {
  const { data } = usePlugins()
  return { remove: plugin.id, unmap: findByWidget(data?.data ?? [], 'products')?.plugin.id ?? null }
}

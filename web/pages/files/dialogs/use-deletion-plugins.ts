// The plugins behind the ways to delete: the one of the dialog, and the one that takes files off
// their products.
import { type Entry, findByWidget, usePlugins } from '../../../client/plugins.ts'
import { type DeletionPlugins } from './deletion.ts'

export function useDeletionPlugins({ plugin }: Entry): DeletionPlugins {
  const { data } = usePlugins()
  return { remove: plugin.id, unmap: findByWidget(data?.data ?? [], 'products')?.plugin.id ?? null }
}

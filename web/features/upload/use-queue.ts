// The shop's queue of uploads for a page; created on first use, kept as long as the tab lives.
import { useSyncExternalStore } from 'react'
import { createQueue, type UploadQueue } from './queue.ts'

const queues = new Map<string, UploadQueue>()

export function useQueue(shop: string) {
  let queue = queues.get(shop)
  if (!queue) queues.set(shop, (queue = createQueue(shop)))
  const state = useSyncExternalStore(queue.subscribe, queue.state)
  return { queue, state }
}

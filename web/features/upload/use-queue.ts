// The shop's queue of uploads for a page; created on first use, kept as long as the tab lives.
import { useSyncExternalStore } from 'react'
import { UploadQueue } from './queue.ts'

const queues = new Map<string, UploadQueue>()

export function useQueue(shop: string) {
  let queue = queues.get(shop)
  if (!queue) queues.set(shop, (queue = new UploadQueue(shop)))
  const state = useSyncExternalStore(queue.subscribe, queue.state)
  return { queue, state }
}

// A finished operation as operation plugins see it.
import type { OperationView } from '../../plugins/contract/index.ts'

/** Without items, of the page, with a fixed start. */
export const operationView = (given: Partial<OperationView> = {}): OperationView => ({
  id: 'op_1',
  action: 'tag-files',
  title: 'Tag files',
  total: 0,
  done: 0,
  failed: 0,
  skipped: 0,
  unchanged: 0,
  cancelled: 0,
  bytes_saved: 0,
  status: 'success',
  started_at: new Date('2026-03-01T23:30:00Z'),
  about: { importWord: 'Import', label: null, schedule: null },
  present: () => Promise.resolve({ changed: 0, trashed: 0, unchanged: 0, unpacked: 0 }),
  lostDeliveries: () => Promise.resolve(0),
  async *items() {},
  async *reported() {},
  ...given,
})

// Changes existing files as the rows of a table at an address say, or because it has them no more.
import type { Workflow } from '../plugins/contract/index.ts'
import { updateFromCsv } from './update-from-csv.ts'

export const updateFromFeed: Workflow = {
  ...updateFromCsv,
  id: 'update-from-feed',
  title: 'Feed update',
  action: 'update-from-feed',
}

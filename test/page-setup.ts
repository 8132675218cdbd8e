// Builds the admin page before the first server starts: servers that start concurrently would each
// build it.
import path from 'node:path'
import { ensurePage } from '../server/startup/page.ts'
import { silent } from './database.ts'

export default async (): Promise<void> =>
  void (await ensurePage(silent, path.resolve(import.meta.dirname, '../.test')))

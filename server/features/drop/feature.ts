// Files that clients send over FTP and SFTP.
import { dropChannel } from './channel.ts'
import { dropExamples } from './examples.ts'
import { settleConfirmed } from './import/settle.ts'
import { dropTask, type DropTaskParts } from './import/task.ts'
import { dropMetrics } from './metrics.ts'
import { createDropPort } from './port.ts'
import { dropRoutes } from './routes.ts'
import type { Database } from '../../core/db/database.ts'
import type { Logger } from '../../core/log.ts'
import { logRemoved } from '../../core/removed.ts'
import { clearFiled } from './import/clear.ts'
import { dropSecretPlace } from './shared-secrets.ts'
import { defineFeature } from '../feature.ts'

interface DropSweepParts {
  database: Database
  log: Logger
}

export const dropFeature = defineFeature({
  name: 'drop',
  examples: dropExamples,
  endpoints: dropRoutes,
  tasks: (parts: Omit<DropTaskParts, 'blobs'>) => [dropTask(parts)],
  metrics: dropMetrics,
  onEnd: () => [{ of: { channel: dropChannel.id, confirmed: true }, run: settleConfirmed }],
  ports: { drop: createDropPort },
  sweeps: ({ database, log }: DropSweepParts) => ({
    drop_folders: () => logRemoved(log, 'old files in drop folders', clearFiled(database.pool)),
  }),
  sealed: [
    {
      table: 'drop_secrets',
      column: 'sealed',
      format: 'bytes',
      name: 'name',
      global: true,
      about: ({ name }) => dropSecretPlace(name),
    },
  ],
  tables: {
    drop_accounts: 'the merchant’s own accounts',
    drop_connections: 'the addresses of the merchant’s own clients',
    drop_entries: 'names of files that the merchant sent',
    drop_settings: 'switches',
    dropped_files: 'ids',
  },
})

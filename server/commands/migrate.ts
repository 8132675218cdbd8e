// npm run migrate: brings the database up to date without starting anything else, or with `--down-to
// NNNN` undoes the migrations after that number, to go back to an earlier version.
import { parseArgs } from 'node:util'
import { appConfig } from '../../app.config.ts'
import type { Database } from '../core/db/database.ts'
import { migrate, migrateDown, migrationsAfter } from '../core/db/migrate.ts'
import { createLogger } from '../core/log.ts'
import { openEmpty } from '../startup/database.ts'
import { runCommand } from './terminal.ts'

await runCommand(async () => {
  const { values } = parseArgs({
    options: { 'down-to': { type: 'string' }, yes: { type: 'boolean', default: false } },
  })
  const { environment } = appConfig()
  const log = createLogger(environment.logLevel)
  // Locks and migrations need a connection of their own, without a pooler.
  const databaseUrl = environment.databaseDirectUrl ?? environment.databaseUrl
  const { database, close } = await openEmpty({ ...environment, databaseUrl }, log)
  try {
    const to = values['down-to']
    if (to === undefined) await up(database)
    else await down(database, to, values.yes)
  } finally {
    await close()
  }
})

async function up(database: Database): Promise<void> {
  await migrate(database, {
    onProgress: (migration, done, of) => console.error(`${migration}: ${done} of ${of}`),
  })
  console.log('The database is up to date.')
}

async function down(database: Database, to: string, confirmed: boolean): Promise<void> {
  const undone = confirmed ? await migrateDown(database, to) : await migrationsAfter(database, to)
  if (undone.length === 0) return console.log(`No migration after ${to} is applied.`)
  for (const { name, loses } of undone)
    console.log(`${name}: ${confirmed ? 'undone. Lost' : 'would lose'}: ${loses}`)
  console.log(
    confirmed
      ? 'Start the earlier version now: this one would apply them again.'
      : 'Nothing was changed. Stop all processes, and add --yes to undo them.',
  )
}

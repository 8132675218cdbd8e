// npm run migrate: brings the database up to date without starting anything else.
import { appConfig } from '../../app.config.ts'
import { migrate } from '../core/db/migrate.ts'
import { createLogger } from '../core/log.ts'
import { openForCommand } from '../startup/database.ts'
import { runCommand } from './terminal.ts'

await runCommand(async () => {
  const { environment } = appConfig()
  const { database, close } = await openForCommand(environment, createLogger(environment.logLevel))
  try {
    await migrate(database)
  } finally {
    await close()
  }
  console.log('The database is up to date.')
})

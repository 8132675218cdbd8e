// npm run backup -- FOLDER [--database-only]: a backup of everything, beside a running server.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { appConfig } from '../../app.config.ts'
import { createLogger } from '../core/log.ts'
import { ensureSecret } from '../core/secrets.ts'
import { backUp } from '../startup/backup.ts'
import { openForCommand } from '../startup/database.ts'
import { openStores } from '../startup/stores.ts'
import { runCommand, runInterruptible } from './terminal.ts'

const USAGE = `npm run backup -- FOLDER [--database-only]

  FOLDER           a new folder, or one with an earlier backup: only new files are copied then
  --database-only  without the bytes of files: copy the storage locations after this command

Ends with 1 if the bytes of a file are missing or damaged; everything else is in the backup then.`

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'database-only': { type: 'boolean', default: false } },
  })
  const [folder, ...rest] = positionals
  if (folder === undefined || rest.length > 0) throw new Error(USAGE)
  return { folder: path.resolve(folder), withBytes: !values['database-only'] }
}

await runCommand(async () => {
  const { folder, withBytes } = readArguments()
  const { environment, storage } = appConfig()
  const log = createLogger(environment.logLevel)
  const secret = environment.secret ?? (await ensureSecret(environment.dataDir))
  const { database, close } = await openForCommand(environment, log)
  try {
    await runInterruptible(async ({ signal, line }) => {
      const stores = await openStores(storage, log)
      const secrets = [secret, ...environment.previousSecrets]
      const parts = { database, stores, secrets, folder, signal, progress: line.show }
      const { rows, blobs, copied, failed } = await backUp(parts, withBytes)
      line.end()
      for (const { shop, hash, location } of failed)
        console.error(`missing or damaged: ${location} ${shop}/${hash}`)
      console.log(`${rows} rows and ${blobs} blobs are in ${folder}, ${copied} of them copied now.`)
      console.log('The backup does not contain APP_SECRET (or DATA_DIR/secret): keep it elsewhere.')
      if (failed.length > 0) process.exitCode = 1
    })
  } finally {
    await close()
  }
})

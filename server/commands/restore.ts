// npm run restore -- FOLDER: restores a backup into an empty database and empty storage locations.
import path from 'node:path'
import { appConfig } from '../../app.config.ts'
import { createLogger } from '../core/log.ts'
import { findSecret } from '../core/secrets.ts'
import { readBackupManifest, restoreBackup } from '../startup/backup.ts'
import { openEmpty } from '../startup/database.ts'
import { UNLIMITED } from '../startup/pace.ts'
import { openStores } from '../startup/stores.ts'
import { emptyState, verifyStorage } from '../startup/verify-storage.ts'
import { runCommand, runInterruptible } from './terminal.ts'

const USAGE = `npm run restore -- FOLDER

  FOLDER  of npm run backup

DATABASE_URL (or a new DATA_DIR) must lead to an empty database, and APP_SECRET or DATA_DIR/secret
must be the secret of the backup. Ends with 1 if the bytes of a file are missing.`

await runCommand(async () => {
  const [given, ...rest] = process.argv.slice(2)
  if (given === undefined || rest.length > 0 || given.startsWith('-')) throw new Error(USAGE)
  const folder = path.resolve(given)
  const { environment, storage } = appConfig()
  const log = createLogger(environment.logLevel)
  const secret = environment.secret ?? (await findSecret(environment.dataDir))
  const secrets = [...(secret === null ? [] : [secret]), ...environment.previousSecrets]
  const manifest = await readBackupManifest(folder, secrets)
  const { database, close } = await openEmpty(environment, log)
  try {
    await runInterruptible(async ({ signal, line }) => {
      const stores = await openStores(storage, log)
      const progress = (text: string) => line.show(text)
      const parts = { database, stores, secrets, folder, signal, progress }
      const { rows, copied, failed } = await restoreBackup(parts, manifest)
      line.end()
      for (const { shop, hash, location } of failed)
        console.error(`damaged in the backup: ${location} ${shop}/${hash}`)
      console.log(`${rows} rows and ${copied} blobs of ${manifest.created_at} are restored.`)
      const { problems, missing } = await verifyStorage(
        { database, stores, log },
        { hash: false, repair: false, pace: UNLIMITED, signal, progress: () => Promise.resolve() },
        emptyState(false),
      )
      for (const { shop, hash, location, found } of problems)
        console.error(`${found}: ${location} ${shop}/${hash}`)
      if (missing > 0 && manifest.locations.length === 0)
        console.error('The backup has no bytes: copy those of the storage locations.')
      if (problems.length > 0) process.exitCode = 1
    })
  } finally {
    await close()
  }
})

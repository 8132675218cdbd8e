// npm run verify-storage [-- --hash] [--repair] [--rate N] [--json] [--restart]: compares the rows
// of blobs with the bytes in every storage location.
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { appConfig } from '../../app.config.ts'
import { createLogger } from '../core/log.ts'
import { openForCommand } from '../startup/database.ts'
import { paceOf } from '../startup/pace.ts'
import { openStores } from '../startup/stores.ts'
import { emptyState, verifyStorage, type VerifyState } from '../startup/verify-storage.ts'
import { runCommand, runInterruptible } from './terminal.ts'

const USAGE = `npm run verify-storage -- [--hash] [--repair] [--rate N] [--json] [--restart]

  --hash     reads all bytes and compares their hash, not only their length
  --repair   restores blobs from the other location, and reports those that cannot be restored
  --rate     at most so many blobs a second (200), or with --hash megabytes (20MB)
  --json     prints the result as JSON
  --restart  begins again, instead of continuing an interrupted run

Ends with 0 if everything is there, and 1 if a blob is missing or damaged.`

function readArguments() {
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: {
      hash: flag,
      repair: flag,
      json: flag,
      restart: flag,
      help: flag,
      rate: { type: 'string' },
    },
  })
  const pace = paceOf(values.rate)
  if (values.help || !pace) throw new Error(USAGE)
  return { ...values, pace }
}

/** The state of an interrupted run; a run that compared less is not continued. */
async function readState(file: string, hash: boolean): Promise<VerifyState> {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return emptyState(hash)
  const state = JSON.parse(text) as VerifyState
  return state.hash === hash ? state : emptyState(hash)
}

async function writeState(file: string, state: VerifyState): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(state))
  await rename(`${file}.new`, file)
}

const summary = (state: VerifyState): string =>
  `${state.rows} blobs (${state.bytes} bytes): ${state.missing} missing, ${state.damaged} damaged, ` +
  `${state.restored} of them restored; ${state.orphans} blobs without a row`

function describe(state: VerifyState): string {
  const problems = state.problems.map(
    ({ shop, hash, location, found, restored }) =>
      `${found}${restored ? ', restored' : ''}: ${location} ${shop}/${hash}`,
  )
  const orphans = state.orphaned.map(
    ({ shop, hash, location }) => `without a row: ${location} ${shop}/${hash}`,
  )
  return [...problems, ...orphans, summary(state)].join('\n')
}

await runCommand(async () => {
  const { hash, repair, pace, json, restart } = readArguments()
  const { environment, storage } = appConfig()
  const log = createLogger(environment.logLevel)
  const { database, close } = await openForCommand(environment, log)
  try {
    await runInterruptible(async ({ signal, line }) => {
      const stores = await openStores(storage, log)
      const file = path.join(environment.dataDir, 'verify-storage.json')
      if (restart) await rm(file, { force: true })
      const begun = await readState(file, hash)
      if (begun.rows > 0) line.print(`continues after ${begun.rows} blobs`)
      const state = await verifyStorage(
        { database, stores, log },
        {
          hash,
          repair,
          pace,
          signal,
          progress: async (now) => {
            line.show(summary(now))
            await writeState(file, now)
          },
        },
        begun,
      )
      await rm(file, { force: true })
      line.end()
      console.log(json ? JSON.stringify(state, null, 2) : describe(state))
      if (state.missing + state.damaged > state.restored) process.exitCode = 1
    })
  } finally {
    await close()
  }
})

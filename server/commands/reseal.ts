// npm run reseal: seals everything with the current APP_SECRET, so that APP_SECRET_PREVIOUS can be
// removed. Stevedore may run meanwhile.
import { appConfig } from '../../app.config.ts'
import { keepLinkKeys } from '../core/db/server-keys.ts'
import { createLogger } from '../core/log.ts'
import { openForCommand } from '../startup/database.ts'
import { resealAll, type ResealState } from '../startup/reseal.ts'
import { runCommand, runInterruptible } from './terminal.ts'

const summary = ({ seen, resealed }: ResealState): string =>
  `${seen} values read, ${resealed} of them sealed again`

await runCommand(async () => {
  const { environment } = appConfig()
  const { previousSecrets } = environment
  if (previousSecrets.length === 0)
    throw new Error('Set APP_SECRET to the new secret and APP_SECRET_PREVIOUS to the old one.')
  const { database, secrets, close } = await openForCommand(
    environment,
    createLogger(environment.logLevel),
  )
  try {
    await runInterruptible(async ({ signal, line }) => {
      await keepLinkKeys(database.pool, secrets, previousSecrets)
      const state = await resealAll({
        pool: database.pool,
        secrets,
        signal,
        progress: (now) => line.show(summary(now)),
      })
      line.end()
      console.log(`${summary(state)}.`)
      if (state.unreadable > 0)
        console.log(`${state.unreadable} values were sealed with a secret that is not configured.`)
      console.log('When all processes run with the new APP_SECRET, remove APP_SECRET_PREVIOUS.')
    })
  } finally {
    await close()
  }
})

// Syncs with most providers need a program on the server; without it the page says who has to install it.
import { type Cloud } from './calls.ts'
import { t, translated } from '../../shell/messages/t.ts'
import { Banner } from '../../shell/ui/index.ts'

/** @param provider the id of the only provider that is shown; absent: all of them. */
export function RcloneMissing({ cloud, provider }: { cloud: Cloud; provider?: string }) {
  const { rclone, providers } = cloud
  const shown = providers.filter(({ id }) => provider === undefined || id === provider)
  if (rclone.available || shown.every(({ needs_rclone }) => !needs_rclone)) return null
  return (
    <Banner tone="warning" title={t('Syncs cannot run: a program is missing on the server')}>
      <p>{translated(rclone.message ?? '')}</p>
    </Banner>
  )
}

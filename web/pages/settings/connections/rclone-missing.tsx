// Syncs need a program on the server; without it the page says how to install it.
import { type Cloud } from '../../../client/connections.ts'
import { t } from '../../../messages/t.ts'
import { Banner } from '../../../ui/index.ts'

export function RcloneMissing({ cloud: { rclone } }: { cloud: Cloud }) {
  if (rclone.available) return null
  return (
    <Banner tone="warning" title={t('Syncs cannot run: rclone is missing on the server')}>
      <p>
        {rclone.message ??
          t('The operator of this installation installs rclone 1.60 or newer and restarts it.')}
      </p>
    </Banner>
  )
}

// A connection without access (not yet, or no longer): one click starts the sign-in.
import { toast } from '../../shell/client/bridge.ts'
import { type Connection } from './calls.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack } from '../../shell/ui/index.ts'
import { useAuthorize } from './use-authorize.ts'

interface Props {
  connection: Connection
  /** The provider uses keys, which are edited instead. */
  onEditKeys: (() => void) | null
}

export function AuthorizeBanner({ connection, onEditKeys }: Props) {
  const { id, provider_title: provider, last_sync, error } = connection
  const { start, waiting, problem } = useAuthorize(id, () => toast(t('Access granted')))
  const before = last_sync !== null
  return (
    <Banner
      tone={before ? 'critical' : 'info'}
      title={
        before
          ? t('{provider} no longer gives access', { provider })
          : t('Sign in at {provider} to continue', { provider })
      }
      action={
        onEditKeys
          ? { content: t('Change keys'), onAction: onEditKeys }
          : {
              content: before ? t('Authorize again') : t('Authorize'),
              onAction: start,
            }
      }
    >
      <BlockStack gap="100">
        {before && (
          <p>
            {error ? messageText(error) : t('Nothing is synced until access is granted again.')}
          </p>
        )}
        {waiting && (
          <p role="status">
            {t('Waiting for the window of {provider}. If you closed it, authorize again.', {
              provider,
            })}
          </p>
        )}
        {problem !== null && <p role="alert">{problem}</p>}
      </BlockStack>
    </Banner>
  )
}

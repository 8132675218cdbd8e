// What went wrong with a call, and the way to try again.
import { ApiError } from '../client/error.ts'
import { Banner, BlockStack, Text } from '../ui/index.ts'
import { t } from '../messages/t.ts'

interface Props {
  error: Error
  /** What could not be done: "The files could not be loaded". */
  what: string
  /** What is on the screen is from before. */
  stale?: boolean
  onRetry?: () => void
  retrying?: boolean
}

export function Problem({ error, what, stale = false, onRetry, retrying = false }: Props) {
  const requestId = error instanceof ApiError ? error.requestId : null
  return (
    <Banner
      tone={stale ? 'warning' : 'critical'}
      title={stale ? t('What you see may be out of date') : what}
      action={onRetry && { content: t('Retry'), onAction: onRetry, loading: retrying && !stale }}
    >
      <BlockStack gap="100">
        <p>{error.message}</p>
        {requestId && (
          <Text as="p" variant="bodySm" tone="subdued">
            {t('Request number for support: {requestId}', { requestId })}
          </Text>
        )}
      </BlockStack>
    </Banner>
  )
}

// The error of a call, with a button to retry. The page scrolls to that of an action.
import { useEffect, useRef } from 'react'
import { ApiError } from '../client/error.ts'
import { isRepeatedRarely } from '../client/polling.ts'
import { Banner, BlockStack, Text } from '../ui/index.ts'
import { t } from '../messages/t.ts'

interface Props {
  error: Error
  /** What failed: "The files could not be loaded". */
  what: string
  /** The page still shows earlier data. */
  stale?: boolean
  onRetry?: () => void
  retrying?: boolean
}

export function Problem({ error, what, stale = false, onRetry, retrying = false }: Props) {
  const requestId = error instanceof ApiError ? error.requestId : null
  const place = useRef<HTMLDivElement>(null)
  const isLoading = onRetry !== undefined
  useEffect(() => {
    // The button of a long list may be far below.
    if (!isLoading) place.current?.scrollIntoView({ block: 'nearest' })
  }, [error, isLoading])
  return (
    <div ref={place} className="problem-place">
      <Banner
        tone={stale ? 'warning' : 'critical'}
        title={stale ? t('What you see may be out of date') : what}
        action={onRetry && { content: t('Retry'), onAction: onRetry, loading: retrying && !stale }}
      >
        <BlockStack gap="100">
          <p>{error.message}</p>
          {isRepeatedRarely(error) && <p>{t('Stevedore tries again every two minutes.')}</p>}
          {requestId && (
            <Text as="p" variant="bodySm" tone="subdued">
              {t('Request number for support: {requestId}', { requestId })}
            </Text>
          )}
        </BlockStack>
      </Banner>
    </div>
  )
}

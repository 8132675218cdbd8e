// The age of the list of products, and a button to refresh it.
import { useMirror, useRefreshProducts } from './calls.ts'
import { Button, InlineStack, Text } from '../../shell/ui/index.ts'
import { mirrorText } from './product-labels.ts'
import { t } from '../../shell/messages/t.ts'

export function RefreshProducts() {
  const mirror = useMirror()
  const refresh = useRefreshProducts()
  const failed =
    mirror.data?.status === 'failed' ||
    refresh.error !== null ||
    (mirror.error !== null && !mirror.data)
  const text =
    refresh.error?.message ??
    (mirror.data ? mirrorText(mirror.data) : (mirror.error?.message ?? ''))
  return (
    <InlineStack align="space-between" blockAlign="center" gap="300">
      <Text as="p" variant="bodySm" tone={failed ? 'critical' : 'subdued'} breakWord>
        <span role="status">{text}</span>
      </Text>
      <Button
        variant="plain"
        loading={refresh.isPending || mirror.data?.status === 'refreshing'}
        onClick={() => refresh.mutate()}
      >
        {t('Refresh products')}
      </Button>
    </InlineStack>
  )
}

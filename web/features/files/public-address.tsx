// The address of a public file, and replacing it if it was leaked.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type FileDetail } from '../../shell/client/types.ts'
import { useNewAddress } from './version-calls.ts'
import { Code } from '../../shell/components/copy.tsx'
import { Question } from '../../shell/components/question.tsx'
import { BlockStack, Button, Card, Heading, Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

export function PublicAddress({ file, url }: { file: FileDetail; url: string }) {
  const renew = useNewAddress(file.id)
  const [asking, setAsking] = useState(false)
  const close = () => {
    setAsking(false)
    renew.reset()
  }
  return (
    <Card>
      <BlockStack gap="300">
        <Heading>{t('Public address')}</Heading>
        <Code text={url} what={t('public address')} wrap />
        <div>
          <Button variant="plain" tone="critical" onClick={() => setAsking(true)}>
            {t('Replace this address')}
          </Button>
        </div>
      </BlockStack>
      {asking && (
        <Question
          title={t('Replace the public address?')}
          onClose={close}
          action={{
            content: t('Replace'),
            destructive: true,
            loading: renew.isPending,
            onAction: () =>
              renew.mutate(undefined, {
                onSuccess: () => {
                  toast(t('The file has a new address'))
                  setAsking(false)
                },
              }),
          }}
          back={t('Cancel')}
          error={renew.error}
          problem={t('The address could not be replaced')}
        >
          <Text as="p">{t('The current address stops working immediately.')}</Text>
        </Question>
      )}
    </Card>
  )
}

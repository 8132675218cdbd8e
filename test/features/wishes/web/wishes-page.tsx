import { useState } from 'react'
import { useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { useRead } from '../../shell/client/reads.ts'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, Text, TextField } from '../../shell/ui/index.ts'

export function WishesPage() {
  const [filename, setFilename] = useState('')
  const wishes = useRead('GET /api/wishes', { poll: 1000 })
  const add = useChangeOf([['wishes']], () => call('POST /api/wishes', { body: { filename } }))
  return (
    <Page title={t('Wishes')}>
      <Card>
        <BlockStack gap="400">
          {add.error && <Problem error={add.error} what={t('The wish could not be saved')} />}
          <TextField
            label={t('Name of the file')}
            autoComplete="off"
            value={filename}
            onChange={setFilename}
          />
          <Button
            loading={add.isPending}
            onClick={() => add.mutate(undefined, { onSuccess: () => setFilename('') })}
          >
            {t('Wish for it')}
          </Button>
          {wishes.data?.data.map((wish) => (
            <Text as="p" key={wish.id}>
              {wish.granted_at === null
                ? t('{name}: not yet', { name: wish.filename })
                : t('{name}: granted', { name: wish.filename })}
            </Text>
          ))}
        </BlockStack>
      </Card>
    </Page>
  )
}

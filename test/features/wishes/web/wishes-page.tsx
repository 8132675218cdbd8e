import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../shell/client/client.ts'
import { type Page as ListPage } from '../../shell/client/types.ts'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, Card, Text, TextField } from '../../shell/ui/index.ts'

interface Wish {
  id: string
  filename: string
  granted_at: string | null
}

export function WishesPage() {
  const [filename, setFilename] = useState('')
  const client = useQueryClient()
  const wishes = useQuery({
    queryKey: ['wishes'],
    queryFn: ({ signal }) => call<ListPage<Wish>>('/api/wishes', { signal }),
    refetchInterval: 1000,
  })
  const add = useMutation({
    mutationFn: () => call<Wish>('/api/wishes', { method: 'POST', body: { filename } }),
    onSuccess: () => {
      setFilename('')
      return client.invalidateQueries({ queryKey: ['wishes'] })
    },
  })
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
          <Button loading={add.isPending} onClick={() => add.mutate()}>
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

// A new feed: the address of its table, then its columns, rules and times.
import { useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { toast } from '../../shell/client/bridge.ts'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button } from '../../shell/ui/index.ts'
import { type FeedTable, useCreateFeed } from './calls.ts'
import { type FeedDraft, NEW_FEED, sentOf } from './draft.ts'
import { FeedForm } from './feed-form.tsx'
import './feeds.css'

export function NewFeedPage() {
  const [draft, setDraft] = useState<FeedDraft>(NEW_FEED)
  const [table, setTable] = useState<FeedTable>()
  const create = useCreateFeed()
  const problems = problemsOf([], objectionsIn(create.error))
  const change = (part: Partial<FeedDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    if (create.error) create.reset()
  }
  const submit = () =>
    create.mutate(
      { url: '', ...sentOf(draft) },
      {
        onSuccess: ({ id }) => {
          toast(t('Feed added'))
          navigate(`/import/feeds/${id}`)
        },
      },
    )
  return (
    <Page title={t('Add a feed')} backAction={{ content: t('Feeds'), url: '/import/feeds' }}>
      <LeaveGuard dirty={draft !== NEW_FEED && !create.isSuccess} what={t('this feed')} />
      <BlockStack gap="400">
        <FeedForm
          draft={draft}
          problems={problems}
          table={table}
          onTable={setTable}
          onChange={change}
        />
        {create.error && <Problem error={create.error} what={t('The feed could not be added')} />}
        {table && (
          <div>
            <Button variant="primary" loading={create.isPending} onClick={submit}>
              {t('Add the feed')}
            </Button>
          </div>
        )}
      </BlockStack>
    </Page>
  )
}

// Customers' requests for their data: the document for each, to download and pass on.
import { ListPages } from '../../shell/components/list-pages.tsx'
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type CustomerAnswer, useCustomerData, useDeleteAnswer, useSaveAnswer } from './calls.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Facts } from '../../shell/components/facts.tsx'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { requestedBy, requestedText } from './labels.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Button, Card, InlineStack, Text } from '../../shell/ui/index.ts'
import { PAGED } from '../../shell/url-state/list-state.ts'
import { useUrlState } from '../../shell/url-state/use-url-state.ts'

const PAGE_SIZE = 25

export function CustomerDataPage() {
  const { urlState, pages } = useUrlState(PAGED)
  const answers = useCustomerData({ cursor: urlState.cursor, limit: PAGE_SIZE })
  const save = useSaveAnswer()
  const [doomed, setDoomed] = useState<CustomerAnswer | null>(null)
  const list = answers.data
  return (
    <Page
      title={t('Customers’ data')}
      subtitle={t('Requests of customers for what is stored about them')}
      backAction={{ content: t('Settings'), url: '/settings' }}
    >
      <BlockStack gap="400">
        <LoadProblem query={answers} what={t('The requests could not be loaded')} />
        {save.error && (
          <Problem error={save.error} what={t('The document could not be downloaded')} />
        )}
        {list?.data.length === 0 && <NoRequests />}
        {list && list.data.length > 0 && (
          <>
            <Banner>
              {t(
                'Send the document to the customer within 30 days of the request. It contains personal data: each download is logged.',
              )}
            </Banner>
            <Card padding="0">
              <ul className="entries" aria-label={t('Requests')}>
                {list.data.map((answer) => (
                  <Entry
                    key={answer.id}
                    answer={answer}
                    saving={save.isPending && save.variables.id === answer.id}
                    onSave={() => save.mutate(answer)}
                    onDelete={() => setDoomed(answer)}
                  />
                ))}
              </ul>
              <ListPages
                what={t('requests')}
                all={t('{count, plural, one {# request} other {# requests}}', {
                  count: list.data.length,
                })}
                page={urlState.page}
                next={list.next_cursor}
                pages={pages}
                stale={answers.isPlaceholderData}
              />
            </Card>
          </>
        )}
        {answers.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the requests')} />
          </Card>
        )}
      </BlockStack>
      {doomed && <DeleteAnswer answer={doomed} onClose={() => setDoomed(null)} />}
    </Page>
  )
}

const NoRequests = () => (
  <Card>
    <Nothing why="new" heading={t('No requests')}>
      {t(
        'When a customer asks your store for their data, the storefront passes it on. The document that you send them appears here.',
      )}
    </Nothing>
  </Card>
)

interface EntryProps {
  answer: CustomerAnswer
  saving: boolean
  onSave: () => void
  onDelete: () => void
}

function Entry({ answer, saving, onSave, onDelete }: EntryProps) {
  const name = requestedBy(answer)
  const { created_at, expires_at, size_bytes } = answer
  return (
    <li>
      <BlockStack gap="300">
        <Text as="h2" variant="headingSm" breakWord>
          {name}
        </Text>
        <Facts
          rows={[
            [t('Requested'), requestedText(answer)],
            [t('Answered'), momentText(created_at)],
            [t('Document'), t('JSON, {size}', { size: sizeText(size_bytes) })],
            [t('Deleted on'), momentText(expires_at)],
          ]}
        />
        <InlineStack gap="200" blockAlign="center">
          <Button
            loading={saving}
            accessibilityLabel={t('Download the data of {name}', { name })}
            onClick={onSave}
          >
            {t('Download')}
          </Button>
          <CriticalButton
            variant="tertiary"
            label={t('Delete the data of {name}', { name })}
            onClick={onDelete}
            text={t('Delete')}
          />
        </InlineStack>
      </BlockStack>
    </li>
  )
}

function DeleteAnswer({ answer, onClose }: { answer: CustomerAnswer; onClose: () => void }) {
  const remove = useDeleteAnswer()
  return (
    <DeleteDialog
      open
      title={t('Delete this document?')}
      deleting={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onDelete={() =>
        remove.mutate(answer.id, {
          onSuccess: () => {
            toast(t('Document deleted'))
            onClose()
          },
        })
      }
    >
      <Text as="p">
        {t(
          'Delete it once the customer has it. What is stored about the customer stays: only this copy is deleted.',
        )}
      </Text>
    </DeleteDialog>
  )
}

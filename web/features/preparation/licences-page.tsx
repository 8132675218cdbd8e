// Lists of licence keys: how many each has left, keys added, lists created and deleted.
import { useState } from 'react'
import { type LicenceList, useLicenceLists } from './calls.ts'
import { LoadingRows, Nothing } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { CriticalButton } from '../../shell/components/critical-button.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import { isRunningOut, licenceCounts, licenceState } from './labels.ts'
import { andText } from '../../shell/labels/list.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Card,
  InlineStack,
  Link,
  Text,
} from '../../shell/ui/index.ts'
import { ReportDialog } from '../reports/report-dialog.tsx'
import { AddKeys } from './add-keys.tsx'
import { CreateList } from './create-list.tsx'
import { DeleteList } from './delete-list.tsx'

export function LicencesPage() {
  const lists = useLicenceLists()
  const [creating, setCreating] = useState(false)
  const [filling, setFilling] = useState<LicenceList | null>(null)
  const [reporting, setReporting] = useState(false)
  const [doomed, setDoomed] = useState<LicenceList | null>(null)
  const list = lists.data?.data
  const create = { content: t('Create list'), onAction: () => setCreating(true) }
  return (
    <Page
      title={t('Licence keys')}
      subtitle={t('Lists from which orders get their licence keys')}
      backAction={{ content: t('Settings'), url: '/settings' }}
      primaryAction={create}
      secondaryActions={[{ content: t('Report …'), onAction: () => setReporting(true) }]}
    >
      <BlockStack gap="400">
        <LoadProblem query={lists} what={t('The lists could not be loaded')} />
        <RunningOut lists={list ?? []} />
        {list?.length === 0 && <NoLists create={create} />}
        {list && list.length > 0 && (
          <Card padding="0">
            <ul className="entries" aria-label={t('Lists of licence keys')}>
              {list.map((one) => (
                <Entry
                  key={one.id}
                  list={one}
                  onAdd={() => setFilling(one)}
                  onDelete={() => setDoomed(one)}
                />
              ))}
            </ul>
          </Card>
        )}
        {lists.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the lists')} />
          </Card>
        )}
      </BlockStack>
      {creating && (
        <CreateList
          onClose={(made) => {
            setCreating(false)
            // A list without keys helps nobody.
            if (made?.generate === null) setFilling(made)
          }}
        />
      )}
      {reporting && <ReportDialog reports={['activations']} onClose={() => setReporting(false)} />}
      {filling && <AddKeys list={filling} onClose={() => setFilling(null)} />}
      {doomed && <DeleteList list={doomed} onClose={() => setDoomed(null)} />}
    </Page>
  )
}

const NoLists = ({ create }: { create: { content: string; onAction: () => void } }) => (
  <Card>
    <Nothing why="new" heading={t('No lists of licence keys yet')} action={create}>
      {t(
        'Create a list, and add your keys or let it generate them. A workflow on deliveries with the step “Assign licence keys” gives them to buyers, each key once.',
      )}
    </Nothing>
  </Card>
)

/** A list that is new and empty has given nothing: it is not running out. */
function RunningOut({ lists }: { lists: readonly LicenceList[] }) {
  const low = lists.filter(isRunningOut)
  if (low.length === 0) return null
  return (
    <Banner tone="warning" title={t('Some lists are running out of keys')}>
      <p className="long-text">
        {t('Add keys to {names}. Orders that find no key are held until you do.', {
          names: andText(low.map(({ name }) => name)),
        })}
      </p>
    </Banner>
  )
}

interface EntryProps {
  list: LicenceList
  onAdd: () => void
  onDelete: () => void
}

function Entry({ list, onAdd, onDelete }: EntryProps) {
  const { id, name, created_at, generate } = list
  const { text, tone } = licenceState(list)
  return (
    <li>
      <BlockStack gap="200">
        <InlineStack align="space-between" blockAlign="start" gap="200" wrap={false}>
          <BlockStack gap="050">
            <Text as="h2" variant="headingSm" breakWord>
              <Link url={`/settings/licences/${id}`} monochrome removeUnderline>
                <span className="long-text">{name}</span>
              </Link>
            </Text>
            <Text as="span">
              <span className="tabular">{licenceCounts(list)}</span>
            </Text>
            <Text as="span" tone="subdued" variant="bodySm">
              {t('Created {when}', { when: momentText(created_at) })}
            </Text>
          </BlockStack>
          <Badge tone={tone}>{text}</Badge>
        </InlineStack>
        <InlineStack gap="200" blockAlign="center">
          {generate === null && (
            <Button accessibilityLabel={actionName(t('Add keys'), name)} onClick={onAdd}>
              {t('Add keys')}
            </Button>
          )}
          <Button
            url={`/settings/licences/${id}`}
            accessibilityLabel={actionName(t('See keys'), name)}
          >
            {t('See keys')}
          </Button>
          <CriticalButton
            variant="tertiary"
            label={t('Delete {name}', { name })}
            onClick={onDelete}
            text={t('Delete')}
          />
        </InlineStack>
      </BlockStack>
    </li>
  )
}

// FTP upload: the accounts and how to connect, what is in the folder, the last imports and
// connections, and the settings.
import { toast } from '../../shell/client/bridge.ts'
import { type Drop, useChangeDrop, useDrop, useDropAccounts } from './calls.ts'
import { LastOperations } from '../operations/last-operations.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Card } from '../../shell/ui/index.ts'
import { AccountsCard } from './accounts-card.tsx'
import { ConnectCard } from './connect-card.tsx'
import { ConnectionsCard } from './connections-card.tsx'
import { FolderCard } from './folder-card.tsx'
import { HelpCard } from './help-card.tsx'
import { SettingsForm } from './settings-form.tsx'
import { TransfersCard } from './transfers-card.tsx'

export function DropPage() {
  const drop = useDrop()
  // The first card is as long as the shop has accounts: what is below it must not move.
  const { isPending } = useDropAccounts()
  return (
    <Page
      title={t('FTP upload')}
      subtitle={t(
        'Send any number of files by SFTP or FTP; they are imported from the drop folder',
      )}
      backAction={{ content: t('Import'), url: '/import' }}
    >
      <BlockStack gap="400">
        <LoadProblem query={drop} what={t('The drop folder could not be loaded')} />
        {drop.data && !isPending ? (
          <Loaded drop={drop.data} />
        ) : (
          !drop.error && (
            <Card padding="0">
              <LoadingRows rows={6} what={t('the drop folder')} />
            </Card>
          )
        )}
      </BlockStack>
    </Page>
  )
}

function Loaded({ drop }: { drop: Drop }) {
  return (
    <>
      {!drop.running && (
        <Banner tone="critical" title={t('The FTP server isn’t running')}>
          <p>
            {t(
              'Nobody can connect until it runs again. Files that are already in the folder are still imported. If this stays, contact support.',
            )}
          </p>
        </Banner>
      )}
      {!drop.enabled && <SwitchedOff />}
      <Accounts drop={drop} />
      <TransfersCard />
      <FolderCard drop={drop} />
      <LastOperations
        title={t('Last imports')}
        query={{ channel: 'drop' }}
        all="/operations?channel=drop"
        empty={{
          heading: t('No import yet'),
          text: t('Each import of dropped files is listed here with its result.'),
        }}
      />
      <ConnectionsCard />
      <SettingsForm drop={drop} />
      <HelpCard drop={drop} />
    </>
  )
}

function Accounts({ drop }: { drop: Drop }) {
  const accounts = useDropAccounts()
  const list = accounts.data?.data
  return (
    <>
      <LoadProblem query={accounts} what={t('The accounts could not be loaded')} />
      {list && <AccountsCard accounts={list} />}
      {list && <ConnectCard drop={drop} accounts={list} />}
    </>
  )
}

function SwitchedOff() {
  const change = useChangeDrop({ current: undefined })
  return (
    <Banner
      tone="warning"
      title={t('FTP upload is off')}
      action={{
        content: t('Switch on'),
        loading: change.isPending,
        onAction: () =>
          change.mutate({ enabled: true }, { onSuccess: () => toast(t('FTP upload is on')) }),
      }}
    >
      <p>{change.error?.message ?? t('Nobody signs in until you switch it on again.')}</p>
    </Banner>
  )
}

// FTP and SFTP: the accounts and how to connect, what is in the folder, the last imports and
// connections, and the settings.
import { toast } from '../../shell/client/bridge.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Card, Box, Heading, Hint, Text } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { LastOperations } from '../operations/last-operations.tsx'
import { Flow } from '../operations/flow.tsx'
import {
  type Drop,
  useChangeDrop,
  useDrop,
  useDropAccounts,
  type DropFile,
  useTransfers,
} from './calls.ts'
import { AccountsCard } from './accounts-card.tsx'
import { ConnectCard } from './connect-card.tsx'
import { ConnectionsCard } from './connections-card.tsx'
import { FolderCard } from './folder-card.tsx'
import { SettingsForm } from './settings-form.tsx'
import { protocolText, speedText } from './labels.ts'
import './drop.css'

export function DropPage() {
  const drop = useDrop()
  // The first card is as long as the shop has accounts: what is below it must not move.
  const { isPending } = useDropAccounts()
  return (
    <Page
      title={t('FTP and SFTP')}
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
      title={t('FTP and SFTP are off')}
      action={{
        content: t('Switch on'),
        loading: change.isPending,
        onAction: () =>
          change.mutate({ enabled: true }, { onSuccess: () => toast(t('FTP and SFTP are on')) }),
      }}
    >
      <p>{change.error?.message ?? t('Nobody signs in until you switch it on again.')}</p>
    </Banner>
  )
}

// The running transfers, with received bytes and speed.

/** Rendered only while a file is being sent. */
function TransfersCard() {
  const transfers = useTransfers()
  const files = transfers.data?.data ?? []
  if (transfers.error)
    return <LoadProblem query={transfers} what={t('The running transfers could not be loaded')} />
  if (files.length === 0) return null
  const more = transfers.data?.next_cursor !== null
  const total = files.reduce((sum, { bytes_per_second }) => sum + (bytes_per_second ?? 0), 0)
  return (
    <Card padding="0">
      <Box padding="400">
        <Heading>{t('Arriving now')}</Heading>
        <Hint>
          <span className="tabular">
            {more
              ? t('More than {count} files, the first of them at {speed}', {
                  count: files.length,
                  speed: speedText(total),
                })
              : t('{count, plural, one {# file} other {# files}} at {speed}', {
                  count: files.length,
                  speed: speedText(total),
                })}
          </span>
        </Hint>
      </Box>
      <ul className="drop-list" aria-label={t('Arriving now')}>
        {files.map((file) => (
          <Transfer key={file.id} file={file} />
        ))}
      </ul>
    </Card>
  )
}

const Transfer = ({ file }: { file: DropFile }) => (
  <li>
    <span className="drop-name">{file.path}</span>
    <span className="drop-state">
      <Text as="span" tone="subdued">
        {[protocolText(file.protocol), file.account_name].filter(Boolean).join(' · ')}
      </Text>
      <span>
        {t('{size} at {speed}', {
          size: sizeText(file.size_bytes),
          speed: speedText(file.bytes_per_second),
        })}
      </span>
    </span>
    {/* The client does not announce the file's size, so there is no percentage. */}
    <Flow label={t('Receiving {path}', { path: file.path })} />
  </li>
)

// Help with common FTP problems: connections that fail, transfers that stall, files that do not
// appear in the library.

function HelpCard({ drop: { sftp_port, ftp_port, limits, path } }: { drop: Drop }) {
  const ports = { sftp: String(sftp_port), ftp: String(ftp_port) }
  return (
    <Titled title={t('If something does not work')}>
      <dl className="drop-help">
        <Answer
          problem={t('The connection fails')}
          steps={[
            t(
              'Copy host, port and username again, and check that FTP and SFTP and the account are on.',
            ),
            t(
              'Open port {sftp} for SFTP, or {ftp} for FTP, in the firewall of your network.',
              ports,
            ),
            t('Prefer SFTP: it uses one port. FTP needs further ports for its data.'),
            t('Look at “Last connections”: it names the reason of each refusal.'),
            t('After 10 failures within 10 minutes an address is blocked for 30 minutes.'),
          ]}
        />
        <Answer
          problem={t('A transfer stalls or times out')}
          steps={[
            t('Choose passive mode in the program: active mode is refused.'),
            t('Send smaller batches, with 2 to 4 transfers in parallel.'),
            t('Send it again: SFTP and FTP resume where the transfer stopped.'),
          ]}
        />
        <Answer
          problem={t('A file arrived and is not imported')}
          steps={[
            t('A file is imported when it has not changed for {seconds} seconds.', {
              seconds: limits.quiet_seconds,
            }),
            t('“Interrupted” means that the transfer broke off: send the file again.'),
            t('Look at “Failed”: each file has its reason, also as .error.txt in {path}failed/', {
              path,
            }),
          ]}
        />
        <Answer
          problem={t('A file has no product')}
          steps={[
            t('Put the SKU in front of the name, with an underscore: SHIRT-01_manual.pdf'),
            t('Or map it by hand in the list of files.'),
          ]}
        />
      </dl>
    </Titled>
  )
}

const Answer = ({ problem, steps }: { problem: string; steps: readonly string[] }) => (
  <div>
    <dt>{problem}</dt>
    <dd>
      <ul className="bullets">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ul>
    </dd>
  </div>
)

// The files at the provider that cannot be imported, with the reasons, and a button to try them
// again.
import { toast } from '../../shell/client/bridge.ts'
import { type Connection, useRejections, useSync } from './calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { rejectedText } from './labels.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, InlineStack, SmallPrint, Text } from '../../shell/ui/index.ts'

export function RejectionsCard({ connection }: { connection: Connection }) {
  const { id, rejected } = connection
  const sync = useSync()
  const again = () =>
    sync.mutate(
      { id, dry_run: false, retry_rejected: true },
      { onSuccess: () => toast(t('The sync has started')) },
    )
  return (
    <Titled
      title={rejectedText(rejected)}
      help={t(
        'Syncs leave these files out. Each is tried again when it changes at the provider, and a refused one also after a week. All are tried again when you change the options or the access of this connection.',
      )}
      action={
        canSync(connection) ? (
          <Button loading={sync.isPending} onClick={again}>
            {t('Try again')}
          </Button>
        ) : null
      }
    >
      {sync.error && <Problem error={sync.error} what={t('The sync could not be started')} />}
      <Rejected key={rejected} id={id} title={rejectedText(rejected)} />
    </Titled>
  )
}

const canSync = ({ progress, state, last_sync }: Connection): boolean =>
  progress === null && state !== 'unauthorized' && last_sync?.status !== 'previewed'

function Rejected({ id, title }: { id: string; title: string }) {
  const rejections = useRejections(id)
  const list = rejections.data?.pages.flatMap(({ data }) => data)
  return (
    <BlockStack gap="300" inlineAlign="start">
      <LoadProblem query={rejections} what={t('The files could not be loaded')} />
      {rejections.isPending && <LoadingRows rows={2} what={t('files')} />}
      {list && list.length > 0 && (
        <ul className="rejections" aria-label={title}>
          {list.map(({ path, size_bytes, ...rejection }) => (
            <li key={path}>
              <InlineStack gap="200" blockAlign="baseline">
                <Text as="span" breakWord>
                  {path}
                </Text>
                <SmallPrint>{sizeText(size_bytes)}</SmallPrint>
              </InlineStack>
              <Text as="p" variant="bodySm" tone="critical" breakWord>
                {messageText(rejection)}
              </Text>
            </li>
          ))}
        </ul>
      )}
      {rejections.hasNextPage && (
        <Button
          loading={rejections.isFetchingNextPage}
          onClick={() => void rejections.fetchNextPage()}
        >
          {t('Show more')}
        </Button>
      )}
    </BlockStack>
  )
}

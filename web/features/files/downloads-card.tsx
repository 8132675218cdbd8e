// The last recorded downloads of a file.
import { type FileDetail } from '../../shell/client/types.ts'
import { useDownloads } from './version-calls.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Box, Card, IndexTable, Text, useBreakpoints } from '../../shell/ui/index.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'

export function DownloadsCard({ file }: { file: FileDetail }) {
  const downloads = useDownloads(file)
  const { mdDown: narrow } = useBreakpoints()
  const list = downloads.data?.data
  return (
    <Card padding="0">
      <Box padding="400">
        <Text as="h2" variant="headingMd">
          {t('Latest downloads')}
        </Text>
      </Box>
      {downloads.error && (
        <Box padding="400" paddingBlockStart="0">
          <Problem
            error={downloads.error}
            what={t('The downloads could not be loaded')}
            stale={list !== undefined}
          />
        </Box>
      )}
      {downloads.isPending && <LoadingRows rows={1} what={t('downloads')} />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Text as="p" tone="subdued">
            {file.download_tracking
              ? t('None yet.')
              : t(
                  'Tracking is off for this file: the time and address of downloads are not recorded.',
                )}
          </Text>
        </Box>
      )}
      {list && list.length > 0 && (
        <IndexTable
          resourceName={{ singular: t('download'), plural: t('downloads') }}
          itemCount={list.length}
          selectable={false}
          condensed={narrow}
          headings={[{ title: t('When') }, { title: t('Address') }, { title: t('Browser or app') }]}
        >
          {list.map(({ at, address, agent }, position) => (
            <IndexTable.Row key={`${at} ${position}`} id={String(position)} position={position}>
              {narrow ? (
                <Box padding="300">
                  <Text as="span">{`${momentText(at)} · ${address}`}</Text>
                </Box>
              ) : (
                <>
                  <IndexTable.Cell>{momentText(at)}</IndexTable.Cell>
                  <IndexTable.Cell>{address}</IndexTable.Cell>
                  <IndexTable.Cell>
                    <span className="cut" title={agent}>
                      {agent}
                    </span>
                  </IndexTable.Cell>
                </>
              )}
            </IndexTable.Row>
          ))}
        </IndexTable>
      )}
    </Card>
  )
}

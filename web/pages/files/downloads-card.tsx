// Who downloaded a file lately, as far as that is kept.
import { type FileDetail } from '../../client/types.ts'
import { useDownloads } from '../../client/versions.ts'
import { LoadingRows } from '../../components/lists.tsx'
import { Problem } from '../../components/problem.tsx'
import { Box, Card, IndexTable, Text, useBreakpoints } from '../../ui/index.ts'
import { momentText } from '../../labels/time.ts'

export function DownloadsCard({ file }: { file: FileDetail }) {
  const downloads = useDownloads(file)
  const { mdDown: narrow } = useBreakpoints()
  const list = downloads.data?.data
  return (
    <Card padding="0">
      <Box padding="400">
        <Text as="h2" variant="headingMd">
          Latest downloads
        </Text>
      </Box>
      {downloads.error && (
        <Box padding="400" paddingBlockStart="0">
          <Problem
            error={downloads.error}
            what="The downloads could not be loaded"
            stale={list !== undefined}
          />
        </Box>
      )}
      {downloads.isPending && <LoadingRows rows={1} what="downloads" />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Text as="p" tone="subdued">
            {file.download_tracking
              ? 'None yet.'
              : 'Tracking is off for this file: when and by whom it is downloaded is not kept.'}
          </Text>
        </Box>
      )}
      {list && list.length > 0 && (
        <IndexTable
          resourceName={{ singular: 'download', plural: 'downloads' }}
          itemCount={list.length}
          selectable={false}
          condensed={narrow}
          headings={[{ title: 'When' }, { title: 'Address' }, { title: 'Program' }]}
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

// A pack's files in their order: moved up or down by one, or removed from the pack.
import { toast } from '../../shell/client/bridge.ts'
import { type Pack, useOrderPack, usePackFiles, useTakeOut } from './calls.ts'
import { type File } from '../../shell/client/types.ts'
import { FileIcon } from '../../shell/files/icon.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import {
  ArrowDownIcon,
  ArrowUpIcon,
  Box,
  Button,
  Card,
  InlineStack,
  Link,
  Text,
} from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { moveBy } from './order.ts'
import { t } from '../../shell/messages/t.ts'

export function PackFiles({ pack }: { pack: Pack }) {
  const files = usePackFiles(pack.id)
  const order = useOrderPack(pack.id)
  const takeOut = useTakeOut()
  const list = files.data?.pages.flatMap((page) => page.data)
  /** Files that are not loaded yet stay after the loaded ones. */
  const move = (file: File, by: -1 | 1) => {
    const ids = list!.map(({ id }) => id)
    order.mutate(moveBy(ids, ids.indexOf(file.id), by))
  }
  const out = (file: File) =>
    takeOut.mutate([file.id], {
      onSuccess: () =>
        toast(t('{filename} was removed from the pack', { filename: file.filename })),
    })
  return (
    <Card padding="0">
      <Box padding="400">
        <InlineStack align="space-between" blockAlign="center">
          <Text as="h2" variant="headingMd">
            {t('Files')}
          </Text>
          <Button url={`/files?pack=${pack.id}`} disabled={pack.files === 0}>
            {t('Show among files')}
          </Button>
        </InlineStack>
      </Box>
      {[files.error, order.error, takeOut.error].map(
        (error, at) =>
          error && (
            <Box key={at} padding="400" paddingBlockStart="0">
              <Problem error={error} stale={at === 0 && list !== undefined} what={WHAT[at]!} />
            </Box>
          ),
      )}
      {files.isPending && <LoadingRows rows={3} what={t('the pack’s files')} />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Text as="p" tone="subdued">
            {t('No files yet. Choose files in the list of files, then Move to pack.')}
          </Text>
        </Box>
      )}
      <ol className="pack-files">
        {list?.map((file, at) => (
          <FileRow
            key={file.id}
            file={file}
            isFirst={at === 0}
            isLast={at === list.length - 1}
            ordering={order.isPending}
            removing={takeOut.isPending && takeOut.variables[0] === file.id}
            onMove={(by) => move(file, by)}
            onRemove={() => out(file)}
          />
        ))}
      </ol>
      {list && files.hasNextPage && (
        <Box padding="300">
          <InlineStack align="center" blockAlign="center" gap="300">
            <Text as="span" variant="bodySm" tone="subdued">
              {t('{count, number} of {files, plural, one {# file} other {# files}}', {
                count: list.length,
                files: pack.files,
              })}
            </Text>
            <Button
              variant="plain"
              loading={files.isFetchingNextPage}
              onClick={() => void files.fetchNextPage()}
            >
              {t('Show more files')}
            </Button>
          </InlineStack>
        </Box>
      )}
    </Card>
  )
}

interface FileRowProps {
  file: File
  isFirst: boolean
  isLast: boolean
  /** The order is being changed. */
  ordering: boolean
  removing: boolean
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

const FileRow = (props: FileRowProps) => {
  const { file, isFirst, isLast, ordering, removing, onMove, onRemove } = props
  return (
    <li>
      <FileIcon filename={file.filename} contentType={file.content_type} />
      <span className="pack-file-name">
        <Link url={`/files/${file.id}`} monochrome removeUnderline>
          {file.filename}
        </Link>
        <Text as="span" variant="bodySm" tone="subdued">
          {sizeText(file.size_bytes)}
        </Text>
      </span>
      <Button
        icon={ArrowUpIcon}
        variant="tertiary"
        disabled={isFirst || ordering}
        accessibilityLabel={t('Move {filename} up', { filename: file.filename })}
        onClick={() => onMove(-1)}
      />
      <Button
        icon={ArrowDownIcon}
        variant="tertiary"
        disabled={isLast || ordering}
        accessibilityLabel={t('Move {filename} down', { filename: file.filename })}
        onClick={() => onMove(1)}
      />
      <Button
        variant="plain"
        tone="critical"
        loading={removing}
        accessibilityLabel={t('Remove {filename} from the pack', { filename: file.filename })}
        onClick={onRemove}
      >
        {t('Remove')}
      </Button>
    </li>
  )
}

const WHAT = [
  t('The files could not be loaded'),
  t('The order could not be changed'),
  t('The file could not be removed'),
] as const

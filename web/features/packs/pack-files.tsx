// A pack's files in their order: dragged, moved by buttons or keys, or removed from the pack.
import { toast } from '../../shell/client/bridge.ts'
import { type Pack, useOrderPack, usePackFiles, useTakeOut } from './calls.ts'
import { type File } from '../../shell/client/types.ts'
import { FileIcon } from '../../shell/files/icon.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { SortableList, type SortableControls } from '../../shell/components/sortable.tsx'
import { actionName } from '../../shell/labels/action-name.ts'
import {
  Box,
  Button,
  Card,
  Heading,
  Hint,
  InlineStack,
  Link,
  SmallPrint,
} from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'

export function PackFiles({ pack, onAdd }: { pack: Pack; onAdd: () => void }) {
  const files = usePackFiles(pack.id)
  const order = useOrderPack(pack.id)
  const takeOut = useTakeOut(pack.id)
  const loaded = files.data?.pages.flatMap((page) => page.data)
  // The new order is shown while it is being saved.
  const list = order.isPending && loaded ? inOrder(loaded, order.variables) : loaded
  const out = (file: File) =>
    takeOut.mutate([file.id], {
      onSuccess: () =>
        toast(t('{filename} was removed from the pack', { filename: file.filename })),
    })
  return (
    <Card padding="0">
      <TopRow pack={pack} onAdd={onAdd} />
      {files.error && (
        <Box padding="400" paddingBlockStart="0">
          <LoadProblem query={files} what={t('The files could not be loaded')} />
        </Box>
      )}
      {[order.error, takeOut.error].map(
        (error, at) =>
          error && (
            <Box key={at} padding="400" paddingBlockStart="0">
              <Problem error={error} what={WHAT[at]!} />
            </Box>
          ),
      )}
      {files.isPending && <LoadingRows rows={3} what={t('the pack’s files')} />}
      {list?.length === 0 && (
        <Box padding="400" paddingBlockStart="0">
          <Hint>{t('No files yet. Add files that you have, or drop new ones on this page.')}</Hint>
        </Box>
      )}
      {list && (
        <SortableList
          className="pack-files"
          items={list}
          keyOf={({ id }) => id}
          nameOf={({ filename }) => filename}
          // Files that are not loaded yet stay after the loaded ones.
          onOrder={(next) => order.mutate(next.map(({ id }) => id))}
        >
          {(file, _at, controls) => (
            <PackFile
              pack={pack}
              file={file}
              controls={controls}
              removing={takeOut.isPending && takeOut.variables[0] === file.id}
              onRemove={() => out(file)}
            />
          )}
        </SortableList>
      )}
      {list && files.hasNextPage && (
        <MoreFiles files={files} shown={list.length} total={pack.files} />
      )}
    </Card>
  )
}

const TopRow = ({ pack, onAdd }: { pack: Pack; onAdd: () => void }) => (
  <Box padding="400">
    <InlineStack align="space-between" blockAlign="center">
      <Heading>{t('Files')}</Heading>
      <InlineStack gap="200">
        {pack.files > 0 && <Button url={`/files?pack=${pack.id}`}>{t('Show among files')}</Button>}
        <Button onClick={onAdd}>{t('Add files')}</Button>
      </InlineStack>
    </InlineStack>
  </Box>
)

interface PackFileProps {
  pack: Pack
  file: File
  controls: SortableControls
  removing: boolean
  onRemove: () => void
}

function PackFile({
  pack,
  file,
  controls: { handle, buttons },
  removing,
  onRemove,
}: PackFileProps) {
  const { id, filename, content_type } = file
  return (
    <>
      {handle}
      <FileIcon filename={filename} contentType={content_type} />
      <span className="pack-file-name">
        <Link url={`/files/${id}`} monochrome removeUnderline>
          {filename}
        </Link>
        <SmallPrint>{detailOf(file, pack)}</SmallPrint>
      </span>
      {buttons}
      <Button
        variant="plain"
        tone="critical"
        loading={removing}
        accessibilityLabel={actionName(t('Remove'), filename)}
        onClick={onRemove}
      >
        {t('Remove')}
      </Button>
    </>
  )
}

/** `1.2 MB · also in Summer course` */
function detailOf({ size_bytes, packs }: File, pack: Pack): string {
  const others = packs.filter(({ id }) => id !== pack.id).map(({ name }) => name)
  const size = sizeText(size_bytes)
  return others.length === 0
    ? size
    : t('{size} · also in {names}', { size, names: others.join(', ') })
}

interface MoreFilesProps {
  files: ReturnType<typeof usePackFiles>
  shown: number
  total: number
}

const MoreFiles = ({ files, shown, total }: MoreFilesProps) => (
  <Box padding="300">
    <InlineStack align="center" blockAlign="center" gap="300">
      <SmallPrint>
        {t('{count, number} of {files, plural, one {# file} other {# files}}', {
          count: shown,
          files: total,
        })}
      </SmallPrint>
      <Button
        variant="plain"
        loading={files.isFetchingNextPage}
        onClick={() => void files.fetchNextPage()}
      >
        {t('Show more files')}
      </Button>
    </InlineStack>
  </Box>
)

/** The files in the order of these ids. */
function inOrder(files: readonly File[], ids: readonly string[]): File[] {
  const places = new Map(ids.map((id, at) => [id, at]))
  return files.toSorted(
    (a, b) => (places.get(a.id) ?? ids.length) - (places.get(b.id) ?? ids.length),
  )
}

const WHAT = [t('The order could not be changed'), t('The file could not be removed')] as const

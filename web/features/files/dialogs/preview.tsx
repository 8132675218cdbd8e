// A preview inside the dialog that requested it: how many files would change, and the first of
// them.
import { usePlugins } from '../../../shell/client/plugins.ts'
import { isMoving, usePreviewItems, useOperation } from '../../operations/calls.ts'
import { type Item, type Operation } from '../../../shell/client/types.ts'
import { LoadingRows } from '../../../shell/components/lists.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { Progress } from '../../operations/status.tsx'
import { BlockStack, Hint, Link, Text } from '../../../shell/ui/index.ts'
import { changesOf } from '../../operations/change.ts'
import { type PreviewPart, partsOfAll, partsOfCounts } from '../../operations/preview-parts.ts'
import { Changes } from '../../operations/changes.tsx'
import './preview.css'
import { shownText } from '../../../shell/messages/server-text.ts'
import { t } from '../../../shell/messages/t.ts'

const SHOWN = 4

/** The operation of a preview. `ready`: it can be confirmed. */
export function usePreview(id: string | null) {
  const { data: operation, error, refetch } = useOperation(id)
  const found = operation?.status === 'previewed' ? operation : null
  const items = usePreviewItems(found)
  const plugins = usePlugins()
  const parts =
    found && items.data && !plugins.isPending
      ? (items.data.whole ? partsOfAll : partsOfCounts)(found, items.data.items, plugins.data?.data)
      : undefined
  return {
    operation,
    parts,
    error: error ?? items.error,
    retry: () => void (found ? items.refetch() : refetch()),
    ready: found !== null && (found.done > 0 || worksOnAll(found)),
  }
}

/** Whether it works on all files together, without a result for each: an export. */
const worksOnAll = ({ total, done, failed, skipped }: Operation): boolean =>
  total > 0 && done + failed + skipped === 0

export function Preview({
  look: { operation, parts, error, retry },
}: {
  look: ReturnType<typeof usePreview>
}) {
  if (error && !parts)
    return <Problem error={error} what={t('The preview could not be loaded')} onRetry={retry} />
  if (!operation) return <LoadingRows rows={3} what={t('the preview')} />
  if (isMoving(operation))
    return (
      <BlockStack gap="200">
        <Text as="p">
          {t(
            'Calculating what would happen to {total, plural, one {# file} other {# files}}. Nothing is changed.',
            { total: operation.total },
          )}
        </Text>
        <Progress operation={operation} />
      </BlockStack>
    )
  if (!parts) return <LoadingRows rows={3} what={t('the preview')} />
  const together = worksOnAll(operation)
  const intentions = operation.intention_texts.map(shownText).join('; ')
  return (
    <BlockStack gap="400">
      {!together && parts.length === 0 && <Text as="p">{t('No file matches.')}</Text>}
      {!together && parts.map((part) => <Part key={part.title} part={part} />)}
      {intentions !== '' && (
        <Text as="p">{together ? intentions : t('Also: {list}.', { list: intentions })}</Text>
      )}
      <Hint>
        {t('Nothing has been changed yet.')}{' '}
        <Link url={`/operations/${operation.id}`}>{t('Show every file')}</Link>
      </Hint>
    </BlockStack>
  )
}

function Part({ part: { kind, title, note, count, items } }: { part: PreviewPart }) {
  const shown = items.slice(0, SHOWN)
  return (
    <section className="preview-part">
      <Text as="h3" variant="headingSm" tone={kind === 'failed' ? 'critical' : undefined}>
        {title}
      </Text>
      {note !== '' && <Hint>{note}</Hint>}
      {shown.length > 0 && (
        <ul className="preview-files">
          {shown.map((item) => (
            <li key={item.position}>
              <PreviewedItem item={item} />
            </li>
          ))}
          {count > shown.length && (
            <li className="more">
              {t('and {count, number} more', { count: count - shown.length })}
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

/** The group's heading has the reason; an item shows only its own details. */
function PreviewedItem({ item: { filename, error, warnings, before, after } }: { item: Item }) {
  return (
    <>
      <Text as="p" fontWeight="medium" breakWord>
        {before?.filename ?? filename}
      </Text>
      {error?.detail && (
        <Text as="p" tone="subdued" breakWord>
          {error.detail}
        </Text>
      )}
      <Changes changes={changesOf(before, after)} />
      {warnings.map(({ code, message }, at) => (
        <Text key={`${code} ${at}`} as="p" tone="caution" breakWord>
          {message}
        </Text>
      ))}
    </>
  )
}

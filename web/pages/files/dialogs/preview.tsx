// What would happen, inside the dialog that asks for it: how many files, and the first of them with what would change.
import { isMoving, useItems, useOperation } from '../../../client/operations.ts'
import { type Item, type Operation } from '../../../client/types.ts'
import { LoadingRows } from '../../../components/lists.tsx'
import { Problem } from '../../../components/problem.tsx'
import { Progress } from '../../../components/status.tsx'
import { BlockStack, Link, Text } from '../../../ui/index.ts'
import { changesOf } from '../../../words/change.ts'
import { PREVIEW_PARTS, type PreviewPart, previewText } from '../../../words/preview.ts'
import { countText, numberText } from '../../../words/size.ts'
import { Changes } from '../../operations/changes.tsx'
import './preview.css'

const SHOWN = 5

/** The operation of a preview, as far as it has come. `ready`: it can be confirmed. */
export function usePreview(id: string | null) {
  const { data: operation, error, refetch } = useOperation(id)
  return { operation, error, retry: () => void refetch(), ready: operation?.status === 'previewed' }
}

export function Preview({ look: { operation, error, retry } }: { look: ReturnType<typeof usePreview> }) {
  if (error && !operation) return <Problem error={error} what="The preview could not be loaded" onRetry={retry} />
  if (!operation) return <LoadingRows rows={3} what="the preview" />
  if (isMoving(operation))
    return (
      <BlockStack gap="200">
        <Text as="p">
          {`Working out what would happen to ${countText(operation.total, 'file', 'files')}. Nothing is changed.`}
        </Text>
        <Progress operation={operation} />
      </BlockStack>
    )
  const parts = PREVIEW_PARTS.filter((part) => operation[part] > 0)
  return (
    <BlockStack gap="400">
      {parts.map((part) => (
        <Part key={part} part={part} operation={operation} />
      ))}
      {operation.intentions.length > 0 && (
        <Text as="p">{`When it has ended: ${operation.intentions.join('; ')}.`}</Text>
      )}
      <Text as="p" tone="subdued">
        {'Nothing has been changed yet. '}
        <Link url={`/operations/${operation.id}`}>Show every file</Link>
      </Text>
    </BlockStack>
  )
}

function Part({ part, operation }: { part: PreviewPart; operation: Operation }) {
  const count = operation[part]
  const items = useItems(operation.id, { status: part, limit: SHOWN }, operation.status, false)
  const shown = items.data?.data ?? []
  return (
    <section className="preview-part">
      <Text as="h3" variant="headingSm">
        <span role="status">{previewText(operation, part, count)}</span>
      </Text>
      <ul className="preview-files">
        {shown.map((item) => (
          <li key={item.position}>
            <Foreseen item={item} />
          </li>
        ))}
        {shown.length > 0 && count > shown.length && (
          <li className="more">{`and ${numberText(count - shown.length)} more`}</li>
        )}
      </ul>
    </section>
  )
}

function Foreseen({ item }: { item: Item }) {
  const { filename, error, warnings, before, after, status } = item
  const changes = changesOf(before, after)
  return (
    <>
      <Text as="p" fontWeight="medium" breakWord>
        {filename}
      </Text>
      {error && (
        <Text as="p" tone={status === 'failed' ? 'critical' : 'subdued'} breakWord>
          {error.detail ? `${error.message}: ${error.detail}` : error.message}
        </Text>
      )}
      <Changes changes={changes} />
      {warnings.map(({ code, message }, at) => (
        <Text key={`${code} ${at}`} as="p" tone="caution" breakWord>
          {message}
        </Text>
      ))}
      {status === 'done' && changes.length === 0 && warnings.length === 0 && (
        <Text as="p" tone="subdued">
          {after ? 'Would be worked on' : 'Nothing would change'}
        </Text>
      )}
    </>
  )
}

// What the first of the files would be called, with what stands in the way of a name.
import { useRenamePreview } from '../../../client/rename.ts'
import { type Selection } from '../../../client/types.ts'
import { useSettled } from '../../../place/use-settled.ts'
import { BlockStack, Text } from '../../../ui/index.ts'
import { countText, numberText } from '../../../words/size.ts'
import './new-names.css'

interface Props {
  select: Selection
  /** null: not right yet. */
  options: Record<string, unknown> | null
  total: number
}

export function NewNames({ select, options, total }: Props) {
  const { data, error, isPlaceholderData } = useRenamePreview(select, useSettled(options))
  const names = data?.data ?? []
  const stale = isPlaceholderData || options === null
  const broken = names.filter(({ problem }) => problem !== null).length
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        New names
      </Text>
      {error ? (
        <Text as="p" tone="critical">
          {error.message}
        </Text>
      ) : (
        <>
          <table className={stale ? 'new-names stale' : 'new-names'}>
            <thead>
              <tr>
                <th scope="col">Now</th>
                <th scope="col">Then</th>
              </tr>
            </thead>
            <tbody>
              {names.map(({ file_id, before, after, problem }) => (
                <tr key={file_id}>
                  <td>{before}</td>
                  <td>
                    {after === before ? (
                      <Text as="span" tone="subdued">
                        Stays as it is
                      </Text>
                    ) : (
                      after
                    )}
                    {problem !== null && (
                      <Text as="p" tone="critical" variant="bodySm">
                        {problem}
                      </Text>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <Text as="p" tone={broken > 0 ? 'critical' : 'subdued'} variant="bodySm">
            <span role="status">{lineOf(names.length, total, broken)}</span>
          </Text>
        </>
      )}
    </BlockStack>
  )
}

function lineOf(shown: number, total: number, broken: number): string {
  const rest = total - shown
  const others = rest > 0 && shown > 0 ? ` and ${numberText(rest)} more` : ''
  if (broken === 0) return others === '' ? '' : `The first ${countText(shown, 'file', 'files')}${others}`
  return `${countText(broken, 'of these can’t be renamed so', 'of these can’t be renamed so')}: they stay as they are`
}

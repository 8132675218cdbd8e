// What the first of the files would be called, with what stands in the way of a name.
import { type RenamePreview } from '../../../client/rename.ts'
import { BlockStack, Text } from '../../../ui/index.ts'
import { countText, numberText } from '../../../labels/size.ts'
import './new-names.css'

interface Props {
  /** undefined: not known yet. */
  names: RenamePreview | undefined
  /** They are of what was written before. */
  stale: boolean
  error: Error | null
}

export function NewNames({ names, stale, error }: Props) {
  if (error)
    return (
      <Text as="p" tone="critical">
        {`The new names could not be looked up: ${error.message}`}
      </Text>
    )
  if (!names) return null
  const broken = names.data.filter(({ problem }) => problem !== null).length
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        New names
      </Text>
      <table className={stale ? 'new-names stale' : 'new-names'}>
        <thead>
          <tr>
            <th scope="col">Now</th>
            <th scope="col">Then</th>
          </tr>
        </thead>
        <tbody>
          {names.data.map(({ file_id, before, after, problem }) => (
            <tr key={file_id}>
              <td>{before}</td>
              <td>
                {after === before ? <span className="same">Stays as it is</span> : after}
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
        <span role="status">{lineOf(names, broken)}</span>
      </Text>
    </BlockStack>
  )
}

function lineOf({ data, total }: RenamePreview, broken: number): string {
  const shown = data.length
  const wrong =
    broken === 0
      ? ''
      : `${countText(broken, 'of these keeps its name', 'of these keep their names')}.`
  const more =
    total > shown ? `The first ${numberText(shown)} of ${countText(total, 'file', 'files')}.` : ''
  return [wrong, more].filter((part) => part !== '').join(' ')
}

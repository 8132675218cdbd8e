// The new names of the first files, each with its conflict.
import { type RenamePreview } from '../rename-calls.ts'
import { BlockStack, Text } from '../../../shell/ui/index.ts'
import './new-names.css'
import { messageText } from '../../../shell/messages/server-text.ts'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  /** undefined: not loaded yet. */
  names: RenamePreview | undefined
  /** The names belong to earlier values of the form. */
  stale: boolean
  error: Error | null
}

export function NewNames({ names, stale, error }: Props) {
  if (error)
    return (
      <Text as="p" tone="critical">
        {t('The new names could not be looked up: {message}', { message: error.message })}
      </Text>
    )
  if (!names) return null
  const broken = names.data.filter(({ problem }) => problem !== null).length
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t('New names')}
      </Text>
      <table className={stale ? 'new-names stale' : 'new-names'}>
        <thead>
          <tr>
            <th scope="col">{t('Now')}</th>
            <th scope="col">{t('Then')}</th>
          </tr>
        </thead>
        <tbody>
          {names.data.map(({ file_id, before, after, problem, problem_text }) => (
            <tr key={file_id}>
              <td>{before}</td>
              <td>
                {after === before ? <span className="same">{t('Does not change')}</span> : after}
                {problem !== null && (
                  <Text as="p" tone="critical" variant="bodySm">
                    {messageText({ message: problem, message_text: problem_text })}
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
      : t(
          '{broken, plural, one {# of these keeps its name} other {# of these keep their names}}.',
          { broken },
        )
  const more =
    total > shown
      ? t('The first {shown, number} of {total, plural, one {# file} other {# files}}.', {
          shown,
          total,
        })
      : ''
  return [wrong, more].filter((part) => part !== '').join(' ')
}

// The steps of an operation or a workflow, each with a short description.
import { type OperationStep } from '../client/types.ts'
import { Text } from '../ui/index.ts'
import { capitalized } from '../labels/size.ts'
import { shownText } from '../messages/server-text.ts'
import { t, translated } from '../messages/t.ts'

export function Steps({
  steps,
}: {
  steps: readonly Pick<OperationStep, 'id' | 'title' | 'summary' | 'summary_text' | 'branch'>[]
}) {
  return (
    <ol className="steps">
      {steps.map(({ id, title, summary, summary_text, branch }) => (
        <li key={id}>
          <Text as="span" fontWeight="medium">
            {translated(title)}
          </Text>
          {branch && (
            <Text as="p" tone="subdued">
              {branch.else ? t('For the other files') : t('Only for some files')}
            </Text>
          )}
          {summary !== '' && summary !== title && (
            <Text as="p" tone="subdued" breakWord>
              {capitalized(shownText(summary_text))}
            </Text>
          )}
        </li>
      ))}
    </ol>
  )
}

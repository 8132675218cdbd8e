// Advice about the failed files below, each once, with the errors that it is about.
import { usePlugins } from '../../shell/client/plugins.ts'
import { type Item, type Operation } from '../../shell/client/types.ts'
import { adviceFor } from './advice.ts'
import { Box, Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  operation: Operation
  items: readonly Item[]
}

export function NextSteps({ operation, items }: Props) {
  const advice = adviceFor(operation, items, usePlugins().data?.data ?? [])
  if (advice.length === 0) return null
  return (
    <Box padding="400" borderBlockEndWidth="025" borderColor="border-secondary">
      <Text as="h3" variant="headingSm">
        {t('Next steps')}
      </Text>
      <ul className="bullets">
        {advice.map(({ text, errors }) => (
          <li key={text}>{t('{field}: {value}', { field: errors.join(', '), value: text })}</li>
        ))}
      </ul>
    </Box>
  )
}

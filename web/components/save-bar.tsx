// What stands at the foot of a form: whether there is something to save, and the ways to save or
// discard it.
import { Button, InlineStack, Text } from '../ui/index.ts'
import './form.css'
import { t } from '../messages/t.ts'

interface Props {
  /** Something was changed. */
  dirty: boolean
  /** It was never saved, so that it can be as it is. */
  fresh?: boolean
  saving: boolean
  /** How many things stand in the way. */
  problems: number
  save: string
  onSave: () => void
  onDiscard: () => void
}

export function SaveBar({
  dirty,
  fresh = false,
  saving,
  problems,
  save,
  onSave,
  onDiscard,
}: Props) {
  const state =
    problems > 0
      ? t('{problems, plural, one {# problem} other {# problems}}', { problems })
      : dirty
        ? t('Unsaved changes')
        : ''
  return (
    <div className="save-bar">
      <InlineStack align="space-between" blockAlign="center" gap="300" wrap={false}>
        <Text as="span" tone={problems > 0 ? 'critical' : 'subdued'}>
          <span role="status">{state}</span>
        </Text>
        <InlineStack gap="200" wrap={false}>
          <Button onClick={onDiscard} disabled={(!dirty && !fresh) || saving}>
            {t('Discard')}
          </Button>
          <Button variant="primary" onClick={onSave} loading={saving} disabled={!dirty && !fresh}>
            {save}
          </Button>
        </InlineStack>
      </InlineStack>
    </div>
  )
}

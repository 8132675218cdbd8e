// Above the steps of a branch: which files take them.
import { useState } from 'react'
import { type Condition } from '../../shell/client/workflows.ts'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { FilterFields } from '../../shell/files/filter-fields.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, InlineError, InlineStack, Text } from '../../shell/ui/index.ts'
import { conditionSentence } from './condition-text.ts'
import type { StepDraft } from './draft.ts'

interface Props {
  branch: NonNullable<StepDraft['branch']>
  /** The place of its first step. */
  path: string
  problems: Problems
  /** null: the branch is dissolved. */
  onChange: (when: Condition | null) => void
}

export function BranchHead({ branch: { id, when }, path, problems, onChange }: Props) {
  const sentence = conditionSentence(when)
  const [isOpen, setIsOpen] = useState(sentence === null)
  const wrong = problems.at(`${path}.branch.when`)
  const shown = isOpen || problems.within(`${path}.branch.when`) !== undefined
  return (
    <div className="branch-head" data-no-drag>
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="h3" variant="headingSm">
          {sentence ?? t('Only files that meet conditions')}
        </Text>
        <InlineStack gap="200">
          <Button
            variant="plain"
            disclosure={shown ? 'up' : 'down'}
            ariaExpanded={shown}
            ariaControls={`${id}-condition`}
            onClick={() => setIsOpen(!shown)}
          >
            {t('Conditions of the branch')}
          </Button>
          <Button variant="plain" onClick={() => onChange(null)}>
            {t('Run its steps on all files')}
          </Button>
        </InlineStack>
      </InlineStack>
      <div id={`${id}-condition`} hidden={!shown}>
        {shown && (
          <BlockStack gap="200">
            <FilterFields
              value={when}
              onChange={onChange}
              path={`${path}.branch.when`}
              problems={problems}
            />
            {wrong && <InlineError message={wrong} fieldID={fieldId(`${path}.branch.when`)} />}
          </BlockStack>
        )}
      </div>
    </div>
  )
}

/** Above the steps of the files that do not meet the condition. */
export const OtherFiles = () => (
  <div className="branch-head">
    <Text as="h3" variant="headingSm">
      {t('The other files')}
    </Text>
  </div>
)

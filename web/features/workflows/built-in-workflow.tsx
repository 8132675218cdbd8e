// A built-in workflow: its steps to be read, and the way to a copy that can be changed.
import { navigate } from 'wouter/use-browser-location'
import { useChannels } from '../imports/channel-calls.ts'
import { type Workflow } from '../../shell/client/workflows.ts'
import { Page } from '../../shell/components/page.tsx'
import { Badge, BlockStack, Card, Heading, Hint, Text } from '../../shell/ui/index.ts'
import { runsOnText } from '../plugins/step-labels.ts'
import { conditionSentence } from './condition-text.ts'
import '../../shell/components/form.css'
import './workflows.css'
import { t } from '../../shell/messages/t.ts'

export function BuiltInWorkflow({ workflow }: { workflow: Workflow }) {
  return (
    <Page
      title={workflow.name}
      titleMetadata={<Badge>{t('Built in')}</Badge>}
      subtitle={runsOnText(workflow, useChannels())}
      backAction={{ content: t('Workflows'), url: '/workflows' }}
      primaryAction={{
        content: t('Duplicate'),
        onAction: () => navigate(`/workflows/new?from=${encodeURIComponent(workflow.id)}`),
      }}
    >
      <Card>
        <BlockStack gap="300">
          <Heading>{t('Steps')}</Heading>
          <ol className="steps-read">
            {workflow.steps.map(({ id, title, summary, when }, at) => (
              <li key={id}>
                <span className="step-number" aria-hidden="true">
                  {at + 1}
                </span>
                <div>
                  <Text as="p" fontWeight="semibold">
                    {title}
                  </Text>
                  {summary !== title && (
                    <Hint>
                      <span className="sentence">{summary}</span>
                    </Hint>
                  )}
                  {when && <Hint>{conditionSentence(when)}</Hint>}
                </div>
              </li>
            ))}
          </ol>
        </BlockStack>
      </Card>
    </Page>
  )
}

// Tasks to begin with. Each leads to a form that is filled in, where nothing is saved yet.
import { type ScheduleBody } from '../../client/schedules.ts'
import { BlockStack, Button, Card, Text } from '../../ui/index.ts'
import { filterTexts } from '../../labels/filter.ts'
import './schedules.css'

interface Props {
  templates: readonly Partial<ScheduleBody>[]
}

export function Templates({ templates }: Props) {
  return (
    <Card>
      <BlockStack gap="300">
        <Text as="h2" variant="headingMd">
          Start from a template
        </Text>
        <div className="templates">
          {templates.map(({ name = 'Template', filter = {} }, at) => (
            <div key={name} className="template">
              <div>
                <Text as="h3" variant="headingSm">
                  {name}
                </Text>
                <Text as="p" tone="subdued">
                  <span className="sentence">{filterTexts(filter).join(', ') || 'All files'}</span>
                </Text>
              </div>
              <Button
                accessibilityLabel={`Use the template ${name}`}
                url={`/schedules/new?template=${at + 1}`}
              >
                Use
              </Button>
            </div>
          ))}
        </div>
      </BlockStack>
    </Card>
  )
}

// Templates of tasks. Each opens a filled-in form, which is not saved yet.
import { type Template } from './calls.ts'
import { BlockStack, Button, Card, Heading, Hint, Text } from '../../shell/ui/index.ts'
import { filterTexts } from '../../shell/files/filter-labels.ts'
import './schedules.css'
import { t } from '../../shell/messages/t.ts'

interface Props {
  templates: readonly Template[]
}

export function Templates({ templates }: Props) {
  return (
    <Card>
      <BlockStack gap="300">
        <Heading>{t('Start from a template')}</Heading>
        <div className="templates">
          {templates.map(({ name, filter = {} }, at) => (
            <div key={name} className="template">
              <div>
                <Text as="h3" variant="headingSm">
                  {name}
                </Text>
                <Hint>
                  <span className="sentence">
                    {filterTexts(filter).join(', ') || t('All files')}
                  </span>
                </Hint>
              </div>
              <Button
                accessibilityLabel={t('Use the template {name}', { name })}
                url={`/schedules/new?template=${at + 1}`}
              >
                {t('Use')}
              </Button>
            </div>
          ))}
        </div>
      </BlockStack>
    </Card>
  )
}

// What waits for somebody, each with its number and one way to go on.
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { Button, Text } from '../../shell/ui/index.ts'
import { type Home } from './calls.ts'
import { needText, pathOf } from './labels.ts'

export function Needs({ home: { needs, first_steps } }: { home: Home }) {
  if (needs.length === 0 && !first_steps.imported) return null
  return (
    <Titled title={t('What needs you')}>
      {needs.length === 0 ? (
        <Text as="p" tone="subdued">
          {t('Nothing. Deliveries, imports and connections work.')}
        </Text>
      ) : (
        <ul className="needs">
          {needs.map((one) => {
            const { text, action, more } = needText(one)
            return (
              <li key={one.need}>
                <Text as="span">{more ? t('More than {what}', { what: text }) : text}</Text>
                <Button url={pathOf(one.url)} accessibilityLabel={`${action}: ${text}`}>
                  {action}
                </Button>
              </li>
            )
          })}
        </ul>
      )}
    </Titled>
  )
}

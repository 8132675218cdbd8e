// What waits for somebody, each with its number and one way to go on.
import { Titled } from '../../shell/components/titled.tsx'
import { messageText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import { Button, Hint, Text } from '../../shell/ui/index.ts'
import { type Home } from './calls.ts'
import { NEED_ACTIONS, pathOf } from './labels.ts'

export function Needs({ home: { needs, first_steps } }: { home: Home }) {
  if (needs.length === 0 && !first_steps.imported) return null
  return (
    <Titled title={t('What needs you')}>
      {needs.length === 0 ? (
        <Hint>{t('Nothing. Deliveries, imports and connections work.')}</Hint>
      ) : (
        <ul className="needs">
          {needs.map((one) => {
            const text = messageText(one)
            const action = NEED_ACTIONS[one.need]
            return (
              <li key={`${one.need} ${one.cause}`}>
                <Text as="span">{text}</Text>
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

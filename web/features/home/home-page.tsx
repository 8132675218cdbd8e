// Home: what needs the merchant, the first steps of a new shop, and what happened.
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card, Button, Hint, Text, CheckIcon, Icon } from '../../shell/ui/index.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { messageText } from '../../shell/messages/server-text.ts'
import { actionName } from '../../shell/labels/action-name.ts'
import { isDemo } from '../../shell/client/bridge.ts'
import { useHome, type Home } from './calls.ts'
import { FiguresSection } from './figures-section.tsx'
import './home.css'
import { NEED_ACTIONS, pathOf, firstSteps, type Step } from './labels.ts'

export function HomePage() {
  const home = useHome()
  return (
    <Page title={t('Home')} fullWidth>
      <BlockStack gap="400">
        <LoadProblem query={home} what={t('What needs you could not be loaded')} />
        {home.isPending && (
          <Card padding="0">
            <LoadingRows rows={4} what={t('what needs you')} />
          </Card>
        )}
        {home.data && (
          <>
            <Needs home={home.data} />
            <FirstSteps done={home.data.first_steps} />
          </>
        )}
        <FiguresSection />
      </BlockStack>
    </Page>
  )
}

// What waits for somebody, each with its number and one way to go on.

function Needs({ home: { needs, first_steps } }: { home: Home }) {
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
                <Button url={pathOf(one.url)} accessibilityLabel={actionName(action, text)}>
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

// The first steps of a shop. Each is ticked by what really happened; then the card goes.

function FirstSteps({ done }: { done: Home['first_steps'] }) {
  const steps = firstSteps(done, isDemo())
  const left = steps.filter((step) => !step.done)
  if (left.length === 0) return null
  const next = left[0]!.id
  return (
    <Titled
      title={t('Start here')}
      help={t('{done} of {all} steps done', {
        done: steps.length - left.length,
        all: steps.length,
      })}
    >
      <ol className="first-steps">
        {steps.map((step) => (
          <Entry key={step.id} step={step} next={step.id === next} />
        ))}
      </ol>
    </Titled>
  )
}

const Entry = ({
  step: { done, title, about, action, url, external = false },
  next,
}: {
  step: Step
  next: boolean
}) => (
  <li className={done ? 'done' : undefined}>
    <span className="tick">
      {done && (
        <Icon source={CheckIcon} tone="success" accessibilityLabel={t('Done', {}, 'step')} />
      )}
    </span>
    <div>
      <Text as="h3" variant="headingSm" tone={done ? 'subdued' : undefined}>
        {title}
      </Text>
      {!done && <Hint>{about}</Hint>}
    </div>
    {!done && url && (
      <Button url={url} external={external} variant={next ? 'primary' : undefined}>
        {action}
      </Button>
    )}
  </li>
)

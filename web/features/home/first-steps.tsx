// The first steps of a shop. Each is ticked by what really happened; then the card goes.
import { isDemo } from '../../shell/client/bridge.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { t } from '../../shell/messages/t.ts'
import { Button, CheckIcon, Hint, Icon, Text } from '../../shell/ui/index.ts'
import { type Home } from './calls.ts'
import { firstSteps, type Step } from './labels.ts'

export function FirstSteps({ done }: { done: Home['first_steps'] }) {
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

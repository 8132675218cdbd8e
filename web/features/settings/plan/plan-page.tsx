// The shop's plan: what it allows, what is used of it, and the way to another one.
import { type Plan, type PlanState, useChoosePlan, usePlan } from '../plan-calls.ts'
import { Facts } from '../../../shell/components/facts.tsx'
import { LoadingRows, Nothing } from '../../../shell/components/lists.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { Titled } from '../../../shell/components/titled.tsx'
import { actionName } from '../../../shell/labels/action-name.ts'
import { featureText, LIMITS, limitsText, priceText, usedText, type Limit } from '../plan-labels.ts'
import { momentText } from '../../../shell/labels/time.ts'
import { t } from '../../../shell/messages/t.ts'
import {
  Badge,
  Banner,
  BlockStack,
  Button,
  Card,
  InlineStack,
  Text,
} from '../../../shell/ui/index.ts'

export function PlanPage() {
  const plan = usePlan()
  return (
    <Page
      title={t('Plan')}
      subtitle={t('What your shop may use, and what it has used')}
      backAction={{ content: t('Settings'), url: '/settings' }}
    >
      <BlockStack gap="400">
        <LoadProblem query={plan} what={t('The plan could not be loaded')} />
        {plan.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the plan')} />
          </Card>
        )}
        {plan.data && !plan.data.enabled && (
          <Card>
            <Nothing why="new" heading={t('This server has no plans')}>
              {t('Everything is included. Nothing is limited by a plan.')}
            </Nothing>
          </Card>
        )}
        {plan.data?.enabled && <State state={plan.data} />}
      </BlockStack>
    </Page>
  )
}

const FULL = 1
const NEARLY = 0.8

/** The used share of a limit, from 0 to 1; above 1 after a change to a smaller plan; 0 if there is no limit. */
function shareOf(limit: Limit, { used, limits }: PlanState): number {
  const most = limits?.[limit] ?? null
  if (most === null) return 0
  return most === 0 ? FULL : used[limit] / most
}

function State({ state }: { state: PlanState }) {
  const choose = useChoosePlan()
  const limits = Object.keys(LIMITS) as Limit[]
  const full = limits.filter((limit) => shareOf(limit, state) >= FULL)
  const { title, features, trial_ends_at, ends } = state
  return (
    <>
      {choose.error && <Problem error={choose.error} what={t('The plan could not be changed')} />}
      {full.length > 0 && (
        <Banner tone="warning" title={t('A limit of your plan is reached')}>
          {t(
            'New files or links are refused until you choose another plan or need less. Buyers keep what they have.',
          )}
        </Banner>
      )}
      <Titled title={title ?? t('The plan is being read')}>
        <BlockStack gap="400">
          <Facts
            rows={limits.map((limit) => [
              LIMITS[limit],
              <InlineStack key={limit} gap="200" blockAlign="center">
                <span className="tabular">{usedText(limit, state)}</span>
                <Fullness share={shareOf(limit, state)} />
              </InlineStack>,
            ])}
          />
          {features.length > 0 && (
            <Text as="p">
              {t('Included: {list}', { list: features.map(featureText).join(', ') })}
            </Text>
          )}
          {trial_ends_at && (
            <Text as="p">{t('The trial ends {when}', { when: momentText(trial_ends_at) })}</Text>
          )}
          {ends && <Text as="p">{t('It ends with the present billing cycle.')}</Text>}
        </BlockStack>
      </Titled>
      <Card padding="0">
        <ul className="entries" aria-label={t('Plans')}>
          {state.plans.map((plan) => (
            <Entry
              key={plan.id}
              plan={plan}
              own={plan.id === state.plan}
              managed={state.pricing === 'managed'}
              choosing={choose.isPending && choose.variables === plan.id}
              onChoose={() => choose.mutate(plan.id)}
            />
          ))}
        </ul>
      </Card>
    </>
  )
}

function Fullness({ share }: { share: number }) {
  if (share >= FULL) return <Badge tone="critical">{t('Reached')}</Badge>
  return share >= NEARLY ? <Badge tone="warning">{t('Nearly reached')}</Badge> : null
}

interface EntryProps {
  plan: Plan
  own: boolean
  managed: boolean
  choosing: boolean
  onChoose: () => void
}

function Entry({ plan, own, managed, choosing, onChoose }: EntryProps) {
  const { title, limits, features } = plan
  const price = managed ? null : (priceText(plan) ?? t('Free'))
  // A plan without a price is what is left when a subscription is cancelled in the store's admin.
  const canChoose = !own && (managed || plan.price !== null)
  return (
    <li>
      <InlineStack align="space-between" blockAlign="start" gap="400" wrap={false}>
        <BlockStack gap="050">
          <Text as="h2" variant="headingSm" breakWord>
            <span className="long-text">{title}</span>
          </Text>
          {price && <Text as="span">{price}</Text>}
          <Text as="span" tone="subdued">
            {limitsText(limits)}
          </Text>
          {features.length > 0 && (
            <Text as="span" tone="subdued" variant="bodySm">
              {features.map(featureText).join(', ')}
            </Text>
          )}
        </BlockStack>
        {own && <Badge tone="success">{t('Your plan')}</Badge>}
        {canChoose && (
          <Button
            loading={choosing}
            accessibilityLabel={actionName(t('Choose'), title)}
            onClick={onChoose}
          >
            {t('Choose')}
          </Button>
        )}
      </InlineStack>
    </li>
  )
}

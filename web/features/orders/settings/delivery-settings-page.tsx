// When orders are delivered, how buyers are notified, and which missing access disables what.
import { useKnown } from '../../../shell/client/edits.ts'
import { toast } from '../../../shell/client/bridge.ts'
import { useChangeSettings, useSettings } from '../../../shell/client/settings.ts'
import type { ShopSettings } from '../../../shell/client/types.ts'
import { LeaveGuard } from '../../../shell/components/leave-guard.tsx'
import { LoadingRows } from '../../../shell/components/lists.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { objectionsIn, problemsOf, type Problems } from '../../../shell/components/problems.ts'
import { useRecordDraft } from '../../../shell/components/use-record-draft.ts'
import { SaveBar } from '../../../shell/components/save-bar.tsx'
import { changedFields } from '../../../shell/labels/changes.ts'
import { t, translated } from '../../../shell/messages/t.ts'
import {
  Banner,
  BlockStack,
  Card,
  Checkbox,
  ChoiceList,
  InlineStack,
  Link,
  Select,
  TextField,
} from '../../../shell/ui/index.ts'
import { useWorkflows } from '../../../shell/client/workflows.ts'
import { Titled } from '../../../shell/components/titled.tsx'
import { type DeliverySettings, useStorefrontAccess } from '../calls.ts'

type SavedSettings = ShopSettings & DeliverySettings

const draftOf = (settings: SavedSettings): DeliverySettings => settings

export function DeliverySettingsPage() {
  const settings = useSettings()
  return (
    <Page
      title={t('Deliveries')}
      subtitle={t('What happens when an order with files is paid')}
      backAction={{ content: t('Settings'), url: '/settings' }}
    >
      <BlockStack gap="400">
        <MissingAccess />
        <LoadProblem query={settings} what={t('The settings could not be loaded')} />
        {settings.data ? (
          <Form settings={settings.data as SavedSettings} />
        ) : (
          !settings.error && (
            <Card padding="0">
              <LoadingRows rows={4} what={t('the settings')} />
            </Card>
          )
        )}
      </BlockStack>
    </Page>
  )
}

function Form({ settings }: { settings: SavedSettings }) {
  const form = useRecordDraft({
    record: settings,
    draftOf,
    changeOf: changedFields<DeliverySettings>,
  })
  const { draft, change, dirty } = form
  const save = useChangeSettings(useKnown(settings, dirty))
  const problems = problemsOf(objectionsIn(save.error))
  const discard = () => {
    form.discard()
    save.reset()
  }
  return (
    <>
      <LeaveGuard dirty={dirty} what={t('the settings')} />
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The settings could not be saved')} />
      )}
      <DeliveryFields
        value={draft}
        problems={problems}
        onChange={(part) => {
          form.edit(part)
          if (save.error) save.reset()
        }}
      />
      {(dirty || save.isPending) && (
        <SaveBar
          dirty={dirty}
          saving={save.isPending}
          problems={problems.all.length}
          save={t('Save')}
          onSave={() =>
            save.mutate(change as Partial<ShopSettings>, {
              onSuccess: (saved) => {
                form.saved(saved as SavedSettings, draft)
                toast(t('Settings saved'))
              },
            })
          }
          onDiscard={discard}
        />
      )}
    </>
  )
}

/** The merchant grants scopes in the storefront's admin; each missing one disables something. */
function MissingAccess() {
  const missing = useStorefrontAccess().data?.missing ?? []
  if (missing.length === 0) return null
  return (
    <Banner tone="warning" title={t('The storefront does not allow everything that is needed')}>
      <BlockStack gap="200">
        <ul className="bullets">
          {missing.map(({ scope, disables }) => (
            <li key={scope}>
              {t('{scope}: {disables}', { scope, disables: translated(disables) })}
            </li>
          ))}
        </ul>
        <p>{t('Open the app again from the admin of your store, and accept its permissions.')}</p>
      </BlockStack>
    </Banner>
  )
}

// The fields of how orders are delivered.

interface Props {
  value: DeliverySettings
  problems: Problems
  onChange: (change: Partial<DeliverySettings>) => void
}

const DeliveryFields = (props: Props) => (
  <BlockStack gap="400">
    <Titled title={t('Orders')}>
      <OrderFields {...props} />
    </Titled>
    <Titled title={t('The email to the buyer')}>
      <MailFields {...props} />
    </Titled>
    <Titled title={t('New files of products that were sold')}>
      <NewFilesFields {...props} />
    </Titled>
    <Titled title={t('Workflow')}>
      <WorkflowField {...props} />
    </Titled>
  </BlockStack>
)

const OrderFields = ({ value, problems, onChange }: Props) => (
  <BlockStack gap="400">
    <ChoiceList
      title={t('Deliver files')}
      choices={[
        { value: 'paid', label: t('When the order is paid') },
        {
          value: 'authorized',
          label: t('When its payment is authorized'),
          helpText: t('The buyer has the files before the money is captured.'),
        },
      ]}
      selected={[value.deliver_on]}
      onChange={([chosen]) => onChange({ deliver_on: chosen as DeliverySettings['deliver_on'] })}
    />
    <Checkbox
      label={t('Hold risky orders')}
      helpText={t('Orders that the platform advises to cancel or to investigate wait for you.')}
      checked={value.hold_risky_orders}
      onChange={(hold_risky_orders) => onChange({ hold_risky_orders })}
    />
    <Checkbox
      label={t('Download limits count for each unit')}
      helpText={t(
        'Three units of a product with a limit of 5 get 15 downloads. Limits of views count the same way.',
      )}
      checked={value.multiply_limits}
      onChange={(multiply_limits) => onChange({ multiply_limits })}
    />
    <Checkbox
      label={t('Paid deliveries stay')}
      helpText={t('Paid files stay available when they lose their last product.')}
      checked={value.paid_deliveries_survive}
      onChange={(paid_deliveries_survive) => onChange({ paid_deliveries_survive })}
    />
    <Checkbox
      label={t('Mark delivered lines as fulfilled')}
      helpText={t('Only lines that need no shipping.')}
      checked={value.fulfil_orders}
      onChange={(fulfil_orders) => onChange({ fulfil_orders })}
    />
    <TextField
      label={t('Tag for orders with files')}
      helpText={t('Empty: no tag.')}
      maxLength={40}
      error={problems.at('order_tag')}
      value={value.order_tag ?? ''}
      onChange={(tag) => onChange({ order_tag: tag === '' ? null : tag })}
    />
  </BlockStack>
)

const DELAYS = [0, 5, 10, 15, 30, 60]

/** Over the API, others can be set. */
const delaysWith = (minutes: number): readonly number[] =>
  DELAYS.includes(minutes) ? DELAYS : [...DELAYS, minutes].sort((a, b) => a - b)

const MailFields = ({ value, onChange }: Props) => (
  <BlockStack gap="400">
    <ChoiceList
      title={t('Who sends the link')}
      titleHidden
      choices={[
        {
          value: 'own',
          label: t('Stevedore sends an email with the link'),
          helpText: t('In the language of the buyer, when the files are ready.'),
        },
        {
          value: 'platform',
          label: t('The storefront’s own shipping email carries the link'),
          helpText: t(
            'Lines without shipping are fulfilled, with the link as their tracking address.',
          ),
        },
      ]}
      selected={[value.delivery_mail]}
      onChange={([chosen]) =>
        onChange({ delivery_mail: chosen as DeliverySettings['delivery_mail'] })
      }
    />
    {value.delivery_mail === 'own' && <OwnMailFields value={value} onChange={onChange} />}
  </BlockStack>
)

const OwnMailFields = ({ value, onChange }: Omit<Props, 'problems'>) => (
  <>
    <Select
      label={t('When it is sent')}
      helpText={t(
        'A delay leaves time to cancel an order or to correct its address. The page after the purchase has the link immediately.',
      )}
      options={delaysWith(value.mail_delay_minutes).map((minutes) => ({
        value: String(minutes),
        label:
          minutes === 0
            ? t('Immediately')
            : t('After {minutes, plural, one {# minute} other {# minutes}}', { minutes }),
      }))}
      value={String(value.mail_delay_minutes)}
      onChange={(minutes) => onChange({ mail_delay_minutes: Number(minutes) })}
    />
    <Checkbox
      label={t('Email buyers when a file becomes available')}
      helpText={t('One email for each order, when the release date of its files has come.')}
      checked={value.release_mail}
      onChange={(release_mail) => onChange({ release_mail })}
    />
    <Checkbox
      label={t('Text buyers without an email address')}
      helpText={t(
        'Orders by phone or at a till may have a phone number only. Their buyers get one text message with the link. It needs an SMS gateway of the installation, which may charge for it.',
      )}
      checked={value.text_buyers}
      onChange={(text_buyers) => onChange({ text_buyers })}
    />
  </>
)

const NewFilesFields = ({ value, onChange }: Props) => (
  <BlockStack gap="400">
    <ChoiceList
      title={t('Give them to past buyers')}
      choices={[
        {
          value: 'ask',
          label: t('Ask me'),
          helpText: t('The home page shows the new files of each product.'),
        },
        { value: 'always', label: t('Always') },
        { value: 'never', label: t('Never'), helpText: t('You can still give single files.') },
      ]}
      selected={[value.new_files]}
      onChange={([chosen]) => onChange({ new_files: chosen as DeliverySettings['new_files'] })}
    />
    {value.new_files === 'always' && (
      <Checkbox
        label={t('Email the buyers')}
        helpText={t('One email for each order, with the link that its buyer already has.')}
        checked={value.new_files_mail}
        onChange={(new_files_mail) => onChange({ new_files_mail })}
      />
    )}
  </BlockStack>
)

function WorkflowField({ value, problems, onChange }: Props) {
  const workflows = useWorkflows()
  const own = (workflows.data?.data ?? []).filter(({ kind }) => kind === 'delivery')
  const chosen = own.find(({ id }) => id === value.delivery_workflow)
  return (
    <BlockStack gap="200">
      <Select
        label={t('Run on each new delivery')}
        helpText={t(
          'For example to stamp the buyer’s name on documents before they are delivered.',
        )}
        error={workflows.error?.message ?? problems.at('delivery_workflow')}
        disabled={workflows.isPending}
        options={[
          { value: '', label: t('No workflow') },
          ...own.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={value.delivery_workflow ?? ''}
        onChange={(id) => onChange({ delivery_workflow: id === '' ? null : id })}
      />
      <InlineStack gap="400">
        {chosen && <Link url={`/workflows/${chosen.id}`}>{t('Edit this workflow')}</Link>}
        <Link url="/workflows/new?kind=delivery">{t('Create a workflow for deliveries')}</Link>
        <Link url="/settings/licences">{t('Lists of licence keys')}</Link>
      </InlineStack>
    </BlockStack>
  )
}

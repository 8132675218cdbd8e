// When orders are delivered, how buyers are notified, and which missing access disables what.
import { useKnown } from '../../../shell/client/edits.ts'
import { toast } from '../../../shell/client/bridge.ts'
import { type DeliverySettings, useStorefrontAccess } from '../calls.ts'
import { useChangeSettings, useSettings } from '../../../shell/client/settings.ts'
import { type ShopSettings } from '../../../shell/client/types.ts'
import { LeaveGuard } from '../../../shell/components/leave-guard.tsx'
import { LoadingRows } from '../../../shell/components/lists.tsx'
import { Page } from '../../../shell/components/page.tsx'
import { LoadProblem } from '../../../shell/components/load-problem.tsx'
import { Problem } from '../../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../../shell/components/problems.ts'
import { useRecordDraft } from '../../../shell/components/use-record-draft.ts'
import { SaveBar } from '../../../shell/components/save-bar.tsx'
import { changedFields } from '../../../shell/labels/changes.ts'
import { t, translated } from '../../../shell/messages/t.ts'
import { Banner, BlockStack, Card } from '../../../shell/ui/index.ts'
import { DeliveryFields } from './delivery-fields.tsx'

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

// The shop's settings: defaults of imports, notifications, the time zone, and links to the other
// pages of settings.
import { type ReactNode, useState } from 'react'
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { useChangeSettings, useSettings } from '../../shell/client/settings.ts'
import type { ShopSettings } from '../../shell/client/types.ts'
import type { Objection } from '../../shell/client/workflows.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { focusField } from '../../shell/components/problem-list.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { useRecordDraft } from '../../shell/components/use-record-draft.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Card, Layout, Hint, InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { findByBody, usePlugins } from '../../shell/client/plugins.ts'
import { type SettingsEntry, useFeatures } from '../../shell/feature.ts'
import {
  type FieldsProps,
  ImportFields,
  MappingFields,
  NotificationFields,
  TimeZoneField,
} from './fields.tsx'
import {
  changeOf,
  draftOf,
  numberProblems,
  watermarkProblems,
  type SettingsDraft,
} from './settings-draft.ts'

// Its form can have any field of a plugin, with a search for files and products.
const WatermarkFields = lazyPart(
  async () => (await import('./watermark-fields.tsx')).WatermarkFields,
  { fallback: <LoadingRows what={t('the settings')} /> },
)

export function SettingsPage() {
  const settings = useSettings()
  return (
    <Page title={t('Settings')}>
      {settings.data ? (
        <Form settings={settings.data} />
      ) : (
        <Unloaded
          query={settings}
          what={t('the settings')}
          problem={t('The settings could not be loaded')}
        />
      )}
    </Page>
  )
}

function Form({ settings }: { settings: ShopSettings }) {
  const { parts, problems, dirty, save, submit, discard } = useSettingsForm(settings)
  return (
    <>
      <LeaveGuard dirty={dirty} what={t('the settings')} />
      <Layout>
        {save.error && problems.all.length === 0 && (
          <Layout.Section variant="fullWidth">
            <Problem error={save.error} what={t('The settings could not be saved')} />
          </Layout.Section>
        )}
        <Sections {...parts} />
      </Layout>
      {/* Without changes there is no bar: most visits are to look something up. */}
      {(dirty || save.isPending) && (
        <SaveBar
          dirty={dirty}
          saving={save.isPending}
          problems={problems.all.length}
          save={t('Save')}
          onSave={submit}
          onDiscard={discard}
        />
      )}
    </>
  )
}

/** The draft of the settings, its problems, and saving it. */
function useSettingsForm(settings: ShopSettings) {
  const form = useRecordDraft({ record: settings, draftOf, changeOf })
  const { draft, change, dirty } = form
  const save = useChangeSettings(useKnown(settings, dirty))
  const [found, setFound] = useState<Objection[]>([])
  const problems = problemsOf([...found, ...objectionsIn(save.error)])
  const set = (part: Partial<SettingsDraft>) => {
    form.edit(part)
    setFound([])
    if (save.error) save.reset()
  }
  const submit = () => {
    const wrong = [...numberProblems(draft), ...watermarkProblems(draft)]
    setFound(wrong)
    if (wrong.length > 0) return focusField(wrong[0]!.param)
    save.mutate(change as Partial<ShopSettings>, {
      onSuccess: (saved) => {
        form.saved(saved, draft)
        toast(t('Settings saved'))
      },
      onError: (error) => {
        const [first] = objectionsIn(error)
        if (first) focusField(first.param)
      },
    })
  }
  const discard = () => {
    form.discard()
    setFound([])
    save.reset()
  }
  return { parts: { draft, problems, onChange: set }, problems, dirty, save, submit, discard }
}

interface Section {
  id: string
  title: string
  description: string
  content: (parts: FieldsProps) => ReactNode
}

const SECTIONS: readonly Section[] = [
  {
    id: 'imports',
    title: t('Import defaults'),
    description: t(
      'Settings of new files unless an import overrides them, and how files are mapped to products.',
    ),
    content: (parts) => (
      <BlockStack gap="400">
        <Card>
          <ImportFields {...parts} />
        </Card>
        <Card>
          <MappingFields {...parts} />
        </Card>
      </BlockStack>
    ),
  },
  {
    id: 'notifications',
    title: t('Notifications'),
    description: t(
      'Who gets an email when an import or another operation ends. A notice also appears under Notices.',
    ),
    content: (parts) => (
      <Card>
        <NotificationFields {...parts} />
      </Card>
    ),
  },
  {
    id: 'watermark',
    title: t('Watermark'),
    description: t(
      'For PDF documents. Actions, workflows and schedules add it where they are set to use the shop’s watermark.',
    ),
    content: (parts) => (
      <Card>
        <WatermarkFields {...parts} />
      </Card>
    ),
  },
  {
    id: 'buyer-page',
    title: t('Buyer’s page'),
    description: t('What customers see when they open a link.'),
    content: () => <BuyerPageLink />,
  },
  {
    id: 'time-zone',
    title: t('Time zone'),
    description: t('The time zone of scheduled tasks, including daylight saving time.'),
    content: (parts) => (
      <Card>
        <TimeZoneField {...parts} />
      </Card>
    ),
  },
  {
    id: 'automation',
    title: t('Automation'),
    description: t('Actions that run automatically.'),
    content: () => <AutomationLinks />,
  },
  {
    id: 'advanced',
    title: t('Advanced'),
    description: t('Past operations and access keys.'),
    content: () => <AdvancedLinks />,
  },
]

const Sections = (parts: FieldsProps) => (
  <>
    {SECTIONS.map(({ id, title, description, content }) => (
      <Layout.AnnotatedSection key={id} id={id} title={title} description={description}>
        {content(parts)}
      </Layout.AnnotatedSection>
    ))}
  </>
)

// The ways from the settings to the pages that belong to them.

function BuyerPageLink() {
  return (
    <Card>
      <BlockStack gap="400">
        <Entry title={t('Buyer’s page')} url="/settings/buyer-page">
          {t('Your logo, colours and texts on the pages that customers open, with a preview.')}
        </Entry>
        <Entry title={t('Mail to buyers')} url="/settings/mail-to-buyers">
          {t('The sender and the texts of mails with downloads, and addresses that do not exist.')}
        </Entry>
      </BlockStack>
    </Card>
  )
}

function AutomationLinks() {
  return (
    <Card>
      <BlockStack gap="400">
        <Entries section="automation" />
      </BlockStack>
    </Card>
  )
}

const HISTORY = [
  [t('Imports'), '/operations?kind=import'],
  [t('Bulk operations'), '/operations?kind=bulk'],
  [t('Partial'), '/operations?status=partial'],
  [t('Failed'), '/operations?status=failed'],
] as const

function AdvancedLinks() {
  const deletion = findByBody(usePlugins().data?.data ?? [], 'delete')
  const links: (readonly [text: string, url: string])[] = deletion
    ? [...HISTORY, [t('Deletions'), `/operations?action=${deletion.plugin.id}`]]
    : [...HISTORY]
  return (
    <Card>
      <BlockStack gap="200">
        <Entry title={t('Operation history')} url="/operations">
          {t(
            'Every operation with its date, files, status, duration and who started it, the result for each file, and a log to export.',
          )}
        </Entry>
        <InlineStack gap="300">
          {links.map(([text, url]) => (
            <Link key={url} url={url}>
              {text}
            </Link>
          ))}
        </InlineStack>
        <Entries section="advanced" />
      </BlockStack>
    </Card>
  )
}

/** The ways to the features' own pages. */
const Entries = ({ section }: Pick<SettingsEntry, 'section'>) =>
  useFeatures()
    .flatMap(({ settings = [] }) => settings)
    .filter((entry) => entry.section === section)
    .map(({ title, url, about }) => (
      <Entry key={url} title={title} url={url}>
        {about}
      </Entry>
    ))

function Entry({ title, url, children }: { title: string; url: string; children: string }) {
  return (
    <BlockStack gap="050">
      <Text as="h3" variant="headingSm">
        <Link url={url}>{title}</Link>
      </Text>
      <Hint>{children}</Hint>
    </BlockStack>
  )
}

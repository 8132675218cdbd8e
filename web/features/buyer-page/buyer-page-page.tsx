// Settings → Buyer's page: logo, colours, own texts and language, with a live preview.
import { useState } from 'react'
import { Titled } from '../../shell/components/titled.tsx'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import {
  useBuyerPage,
  useChangeBuyerPage,
  type BuyerLocale,
  type BuyerPage,
  type BuyerPageDraft,
} from './calls.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Page } from '../../shell/components/page.tsx'
import { focusField } from '../../shell/components/problem-list.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Select, TextField } from '../../shell/ui/index.ts'
import { ColourField } from './colour-field.tsx'
import { EndedCard } from './ended-card.tsx'
import { LANGUAGES } from './languages.ts'
import { CopiedLinksCard } from './copied-links-card.tsx'
import { LibraryCard } from './library-card.tsx'
import { LogoCard } from './logo-card.tsx'
import { PreviewCard } from './preview-card.tsx'
import '../../shell/components/form-and-preview.css'
import './buyer-page.css'

export function BuyerPagePage() {
  const page = useBuyerPage()
  return (
    <Page
      title={t('Buyer’s page')}
      subtitle={t('What your customers see when they open a link')}
      backAction={{ content: t('Settings'), url: '/settings' }}
      fullWidth
    >
      {page.data ? (
        <Form saved={page.data} />
      ) : (
        <Unloaded
          query={page}
          what={t('the buyer’s page')}
          problem={t('The buyer’s page could not be loaded')}
        />
      )}
    </Page>
  )
}

const draftOf = (page: BuyerPage): BuyerPageDraft => {
  const { accent, background, language, texts, library, library_link } = page
  const { ask_again, buy_again, copied_links } = page
  const own = { accent, background, language, texts, library, library_link }
  return { ...own, ask_again, buy_again, copied_links }
}

const LinkCards = (props: Pick<PartProps, 'draft' | 'onChange'>) => (
  <>
    <EndedCard {...props} />
    <CopiedLinksCard {...props} />
  </>
)

function Form({ saved }: { saved: BuyerPage }) {
  const save = useChangeBuyerPage(useKnown(saved))
  const [draft, setDraft] = useState(() => draftOf(saved))
  const [locale, setLocale] = useState<BuyerLocale>(saved.language)
  const change = changedFields(draftOf(saved), draft)
  const dirty = Object.keys(change).length > 0
  const problems = problemsOf(objectionsIn(save.error))
  const set = (part: Partial<BuyerPageDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    if (save.error) save.reset()
  }
  const submit = () =>
    save.mutate(change, {
      onSuccess: (page) => {
        setDraft(draftOf(page))
        toast(t('Buyer’s page saved'))
      },
      onError: (error) => {
        const [first] = objectionsIn(error)
        if (first) focusField(first.param)
      },
    })
  const parts = { draft, problems, onChange: set, locale, onLocale: setLocale }
  return (
    <>
      <LeaveGuard dirty={dirty} what={t('the buyer’s page')} />
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The buyer’s page could not be saved')} />
      )}
      <div className="form-and-preview buyer-page">
        <BlockStack gap="400">
          <LogoCard logo={saved.logo} />
          <Colours {...parts} />
          <Texts {...parts} />
          <LibraryCard draft={draft} url={saved.library_url} onChange={set} />
          <LinkCards draft={draft} onChange={set} />
        </BlockStack>
        <PreviewCard
          change={change}
          logo={saved.logo?.url ?? null}
          locale={locale}
          onLocale={setLocale}
        />
      </div>
      {(dirty || save.isPending) && (
        <SaveBar
          dirty={dirty}
          saving={save.isPending}
          problems={problems.all.length}
          save={t('Save')}
          onSave={submit}
          onDiscard={() => {
            setDraft(draftOf(saved))
            save.reset()
          }}
        />
      )}
    </>
  )
}

interface PartProps {
  draft: BuyerPageDraft
  problems: ReturnType<typeof problemsOf>
  onChange: (part: Partial<BuyerPageDraft>) => void
  /** The language whose texts are edited and that the preview shows. */
  locale: BuyerLocale
  onLocale: (locale: BuyerLocale) => void
}

const Colours = ({ draft, problems, onChange }: PartProps) => (
  <Titled title={t('Colours')}>
    <ColourField
      param="accent"
      label={t('Buttons and links')}
      help={t('Text on it is black or white, whichever is easier to read.')}
      usual="#0a55ad"
      error={problems.at('accent')}
      value={draft.accent}
      onChange={(accent) => onChange({ accent })}
    />
    <ColourField
      param="background"
      label={t('Background')}
      help={t('Without one the page is light or dark, as the buyer’s device prefers.')}
      usual="#f4f5f6"
      error={problems.at('background')}
      value={draft.background}
      onChange={(background) => onChange({ background })}
    />
  </Titled>
)

const MAX = 500

function Texts({ draft, problems, onChange, locale, onLocale }: PartProps) {
  const { language, texts } = draft
  const own = texts[locale] ?? { intro: '', footer: '' }
  const set = (part: Partial<typeof own>) =>
    onChange({ texts: { ...texts, [locale]: { ...own, ...part } } })
  const field = (name: 'intro' | 'footer', label: string, help: string) => (
    <TextField
      id={fieldId(`texts.${locale}.${name}`)}
      label={label}
      helpText={help}
      multiline={3}
      maxLength={MAX}
      showCharacterCount
      value={own[name]}
      error={problems.at(`texts.${locale}.${name}`)}
      onChange={(text) => set({ [name]: text })}
    />
  )
  return (
    <Titled title={t('Texts and language')}>
      <Select
        id={fieldId('language')}
        label={t('Default language')}
        helpText={t(
          'Buyers see the page in their own language if it is available, and otherwise in this one.',
        )}
        options={LANGUAGES}
        value={language}
        error={problems.at('language')}
        onChange={(value) => onChange({ language: value as BuyerLocale })}
      />
      <Select
        label={t('Your texts in')}
        helpText={t('A language without texts shows those of the language above.')}
        options={LANGUAGES}
        value={locale}
        onChange={(value) => onLocale(value as BuyerLocale)}
      />
      {field('intro', t('Above the files'), t('For example a thank-you.'))}
      {field('footer', t('At the end of each page'), t('For example how to reach you.'))}
    </Titled>
  )
}

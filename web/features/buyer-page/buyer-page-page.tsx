// Settings → Buyer's page: logo, colours, own texts and language, with a live preview.
import { useState } from 'react'
import { Titled } from '../../shell/components/titled.tsx'
import { useKnown } from '../../shell/client/edits.ts'
import { toast } from '../../shell/client/bridge.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { Page } from '../../shell/components/page.tsx'
import { focusField } from '../../shell/components/problem-list.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { useRecordDraft } from '../../shell/components/use-record-draft.ts'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Select,
  TextField,
  Checkbox,
  ChoiceList,
  Hint,
  InlineStack,
  Link,
} from '../../shell/ui/index.ts'
import '../../shell/components/form-and-preview.css'
import { Copy } from '../../shell/components/copy.tsx'
import {
  useBuyerPage,
  useChangeBuyerPage,
  type BuyerLocale,
  type BuyerPage,
  type BuyerPageDraft,
} from './calls.ts'
import { ColourField } from './colour-field.tsx'
import { LANGUAGES } from './languages.ts'
import { LogoCard } from './logo-card.tsx'
import { PreviewCard } from './preview-card.tsx'
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

const changeOf = (saved: BuyerPage, draft: BuyerPageDraft) => changedFields(draftOf(saved), draft)

function Form({ saved }: { saved: BuyerPage }) {
  const form = useRecordDraft({ record: saved, draftOf, changeOf })
  const { draft, change, dirty } = form
  const save = useChangeBuyerPage(useKnown(saved, dirty))
  const [locale, setLocale] = useState<BuyerLocale>(saved.language)
  const problems = problemsOf(objectionsIn(save.error))
  const set = (part: Partial<BuyerPageDraft>) => {
    form.edit(part)
    if (save.error) save.reset()
  }
  const submit = () =>
    save.mutate(change, {
      onSuccess: (page) => {
        form.saved(page, draft)
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
            form.discard()
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

// What buyers can do about files that are expired or used up.

interface EndedCardProps {
  draft: BuyerPageDraft
  onChange: (part: Partial<BuyerPageDraft>) => void
}

const EndedCard = ({ draft, onChange }: EndedCardProps) => (
  <Titled title={t('Files that are expired or used up')}>
    <Checkbox
      label={t('Buyers can ask for more')}
      helpText={t(
        'The page has a form, once a day for each link. You get a notice and grant it with one click.',
      )}
      checked={draft.ask_again}
      onChange={(ask_again) => onChange({ ask_again })}
    />
    <Checkbox
      label={t('Show “Buy again”')}
      helpText={t('The button leads to the product, while your shop offers it.')}
      checked={draft.buy_again}
      onChange={(buy_again) => onChange({ buy_again })}
    />
  </Titled>
)

// What the addresses do that a merchant copies or lists.

interface CopiedLinksCardProps {
  draft: BuyerPageDraft
  onChange: (part: Partial<BuyerPageDraft>) => void
}

const CopiedLinksCard = ({ draft, onChange }: CopiedLinksCardProps) => (
  <Titled title={t('Links that you copy')}>
    <ChoiceList
      title={t('A copied link')}
      titleHidden
      selected={[draft.copied_links]}
      onChange={([choice]) => onChange({ copied_links: choice === 'page' ? 'page' : 'direct' })}
      choices={[
        {
          value: 'direct',
          label: t('Download the file directly'),
          helpText: t('Also for programs. A program that opens the link can use up a download.'),
        },
        {
          value: 'page',
          label: t('Open a page with a button'),
          helpText: t(
            'Opening the page counts nothing, so chats and mail filters that follow links use up no download.',
          ),
        },
      ]}
    />
    <Hint>{t('Also in lists of links as CSV. Links in emails always open a page.')}</Hint>
  </Titled>
)

// Whether buyers can open their library, and how they find it.

interface LibraryCardProps {
  draft: BuyerPageDraft
  /** The address where buyers ask for the link to their library. */
  url: string
  onChange: (part: Partial<BuyerPageDraft>) => void
}

const LibraryCard = ({ draft, url, onChange }: LibraryCardProps) => (
  <Titled title={t('All downloads of a buyer')}>
    <Checkbox
      label={t('Buyers can open their library')}
      helpText={t(
        'They enter their email address and get a mail with a link to all their files. The answer is the same for unknown addresses.',
      )}
      checked={draft.library}
      onChange={(library) => onChange({ library })}
    />
    {draft.library && (
      <Checkbox
        label={t('Show “All my downloads” on the pages of orders')}
        helpText={t('The button sends the mail to the address of the order.')}
        checked={draft.library_link}
        onChange={(library_link) => onChange({ library_link })}
      />
    )}
    {draft.library && (
      <InlineStack gap="200" blockAlign="center">
        <Link url={url} target="_blank">
          {t('Open the page for buyers')}
        </Link>
        <Copy text={url} what={t('address of the page for buyers')} label={t('Copy address')} />
      </InlineStack>
    )}
  </Titled>
)

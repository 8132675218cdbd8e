// Settings → Mail to buyers → Texts: the shop's own texts in each language, with a live preview.
import { ownValue } from '../../../plugins/_page/own-value.ts'
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { Unloaded } from '../../shell/components/unloaded.tsx'
import { LeaveGuard } from '../../shell/components/leave-guard.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Page } from '../../shell/components/page.tsx'
import { focusField } from '../../shell/components/problem-list.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { fieldId, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { SaveBar } from '../../shell/components/save-bar.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { changedFields } from '../../shell/labels/changes.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Box,
  Button,
  Hint,
  InlineStack,
  Select,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { useKept, useRestored } from '../../shell/url-state/kept-over-reload.ts'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { LANGUAGES } from '../buyer-page/languages.ts'
import {
  useChangeTexts,
  useMailPreview,
  useMailTexts,
  type BuyerMail,
  type MailLocale,
  type MailTexts,
  type TextsChange,
} from './calls.ts'
import '../../shell/components/form-and-preview.css'
import './mail.css'

const MAILS: { value: BuyerMail; label: string }[] = [
  { value: 'order', label: t('Files of an order') },
  { value: 'edited', label: t('Files of an order that was changed') },
  { value: 'ready', label: t('Files that were still being prepared') },
  { value: 'update', label: t('New version of a file') },
  { value: 'added', label: t('Further files of a product') },
  { value: 'available', label: t('Files that have become available') },
  { value: 'link', label: t('A link that you send') },
  { value: 'links', label: t('Links of a buyer whom you moved') },
  { value: 'library', label: t('All downloads of a buyer') },
  { value: 'text', label: t('Text message without an email address') },
]

type FieldName = MailTexts['fields'][number]['field']

const FIELDS: Readonly<Record<FieldName, string>> = {
  subject: t('Subject'),
  intro: t('Text'),
  button: t('Button'),
  keep: t('Below the button'),
  footer: t('At the end'),
}
const LINES: Partial<Record<FieldName, number>> = { intro: 4, keep: 2, footer: 2 }

export function TextsPage() {
  const texts = useMailTexts()
  return (
    <Page
      title={t('Texts of mails to buyers')}
      subtitle={t('Empty fields have the usual text. The look follows your buyer’s page.')}
      backAction={{ content: t('Mail to buyers'), url: '/settings/mail-to-buyers' }}
      fullWidth
    >
      {texts.data ? (
        <Form saved={texts.data.texts} />
      ) : (
        <Unloaded
          query={texts}
          what={t('the texts')}
          problem={t('The texts could not be loaded')}
        />
      )}
    </Page>
  )
}

/** Changed texts by `language.mail.field`; the empty text brings the usual one back. */
type Draft = Readonly<Record<string, string>>

const keyOf = (locale: MailLocale, mail: BuyerMail, field: FieldName) =>
  `${locale}.${mail}.${field}`

/** The fields that differ from the saved ones, as the API takes them. */
function changeOf(
  saved: readonly MailTexts[],
  draft: Draft,
): { texts: TextsChange; count: number } {
  const texts: Record<string, Record<string, Record<string, string>>> = {}
  let count = 0
  for (const { mail, locale, fields } of saved)
    for (const { field, own } of fields) {
      const text = ownValue(draft, keyOf(locale, mail, field))
      if (text === undefined || text.trim() === (own ?? '')) continue
      count += 1
      texts[locale] = {
        ...texts[locale],
        [mail]: { ...texts[locale]?.[mail], [field]: text },
      }
    }
  return { texts, count }
}

/** The name of the draft while the page reloads itself. */
const KEPT = 'mail texts'

/** The changed texts, the mail and the language that are shown, and saving the texts. */
function useTextsForm(saved: readonly MailTexts[]) {
  const save = useChangeTexts()
  const restored = useRestored(KEPT) as Draft | undefined
  const [draft, setDraft] = useState<Draft>(restored ?? {})
  const [mail, setMail] = useState<BuyerMail>('order')
  const [locale, setLocale] = useState<MailLocale>('en')
  const { texts, count } = changeOf(saved, draft)
  useKept(KEPT, count > 0 ? draft : undefined)
  const problems = problemsOf(objectionsIn(save.error))
  const shown = saved.find((one) => one.mail === mail && one.locale === locale)
  const set = (field: FieldName, text: string) => {
    setDraft((before) => ({ ...before, [keyOf(locale, mail, field)]: text }))
    if (save.error) save.reset()
  }
  const submit = () =>
    save.mutate(texts, {
      onSuccess: () => {
        setDraft((now) => changedFields<Record<string, string>>(draft, now) as Draft)
        toast(t('Texts saved'))
      },
      onError: (error) => showFirst(error),
    })
  /** The field may be in another language or mail than the one that is shown. */
  const showFirst = (error: Error) => {
    const [first] = objectionsIn(error)
    const [, language, name] = first?.param.split('.') ?? []
    if (language) setLocale(language as MailLocale)
    if (name) setMail(name as BuyerMail)
    if (first) requestAnimationFrame(() => focusField(first.param))
  }
  const discard = () => {
    setDraft({})
    save.reset()
  }
  return {
    save,
    draft,
    problems,
    texts,
    count,
    shown,
    set,
    submit,
    discard,
    mail: { value: mail, onChange: (value: string) => setMail(value as BuyerMail) },
    locale: { value: locale, onChange: (value: string) => setLocale(value as MailLocale) },
  }
}

function Form({ saved }: { saved: readonly MailTexts[] }) {
  const { save, draft, problems, texts, count, shown, set, submit, discard, mail, locale } =
    useTextsForm(saved)
  return (
    <>
      <LeaveGuard dirty={count > 0} what={t('the texts')} />
      {save.error && problems.all.length === 0 && (
        <Problem error={save.error} what={t('The texts could not be saved')} />
      )}
      <div className="form-and-preview">
        <Titled title={t('Texts')}>
          <Select label={t('Email')} options={MAILS} {...mail} />
          <Select label={t('Language')} options={LANGUAGES} {...locale} />
          {shown && <Fields shown={shown} draft={draft} problems={problems} onChange={set} />}
        </Titled>
        <Preview mail={mail.value} locale={locale.value} texts={texts} />
      </div>
      {(count > 0 || save.isPending) && (
        <SaveBar
          dirty={count > 0}
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

interface FieldsProps {
  shown: MailTexts
  draft: Draft
  problems: ReturnType<typeof problemsOf>
  onChange: (field: FieldName, text: string) => void
}

function Fields({ shown, draft, problems, onChange }: FieldsProps) {
  const { mail, locale, variables, fields } = shown
  const names = variables.map((name) => `{${name}}`).join(', ')
  return (
    <>
      <Hint>
        {t('Variables of this email: {names}. They are replaced when it is sent.', { names })}
      </Hint>
      {fields.map(({ field, max_length, usual, own }) => {
        const value = ownValue(draft, keyOf(locale, mail, field)) ?? own ?? ''
        const param = `texts.${locale}.${mail}.${field}`
        const button =
          value === '' ? (
            <Button variant="plain" onClick={() => onChange(field, usual)}>
              {t('Start from the usual text')}
            </Button>
          ) : (
            <Button variant="plain" onClick={() => onChange(field, '')}>
              {t('Use the usual text')}
            </Button>
          )
        return (
          <BlockStack key={param} gap="050">
            <TextField
              id={fieldId(param)}
              label={FIELDS[field]}
              multiline={LINES[field]}
              maxLength={max_length}
              showCharacterCount={value !== ''}
              placeholder={usual}
              value={value}
              error={problems.at(param)}
              onChange={(text) => onChange(field, text)}
            />
            <InlineStack>{button}</InlineStack>
          </BlockStack>
        )
      })}
    </>
  )
}

const WIDTHS = [
  { value: 'phone', label: t('Phone') },
  { value: 'desk', label: t('Desktop') },
  { value: 'text', label: t('Text only') },
]
const DEBOUNCE_MS = 250

interface PreviewProps {
  mail: BuyerMail
  locale: MailLocale
  texts: TextsChange
}

function Preview({ mail, locale, texts }: PreviewProps) {
  const [width, setWidth] = useState('phone')
  const preview = useMailPreview({ mail, locale }, useDebounced(texts, DEBOUNCE_MS))
  const [refused] = objectionsIn(preview.error)
  return (
    <Titled title={t('Preview')}>
      {mail !== 'text' && (
        <Select label={t('Width')} labelInline options={WIDTHS} value={width} onChange={setWidth} />
      )}
      {refused && (
        <Text as="p" tone="critical">
          {refused.message}
        </Text>
      )}
      {preview.error && !refused && (
        <LoadProblem query={preview} what={t('The preview could not be loaded')} />
      )}
      {preview.data && (
        <>
          {mail !== 'text' && (
            <Text as="p" fontWeight="semibold" breakWord>
              {preview.data.subject}
            </Text>
          )}
          {width === 'text' || mail === 'text' ? (
            <Box padding="400" background="bg-surface-secondary" borderRadius="200">
              <pre className="mail-preview-text" tabIndex={0}>
                {preview.data.text}
              </pre>
            </Box>
          ) : (
            <iframe
              className={`preview-frame mail-preview ${width}`}
              title={t('Preview of the email')}
              sandbox=""
              srcDoc={preview.data.html}
            />
          )}
        </>
      )}
      {!preview.data && !preview.error && <LoadingRows rows={6} what={t('the preview')} />}
    </Titled>
  )
}

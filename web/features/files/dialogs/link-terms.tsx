// The terms of links: expiry, limit and recipient; some files may have their own expiry.
import { ownValue } from '../../../../plugins/_page/own-value.ts'
import { useState } from 'react'
import { type File } from '../../../shell/client/types.ts'
import { Button, Select, Text, TextField } from '../../../shell/ui/index.ts'
import { AskFields } from '../../links/ask-fields.tsx'
import { type LinksForm } from './links-form.ts'
import { type Errors } from './use-form.ts'
import './link-terms.css'
import { t } from '../../../shell/messages/t.ts'

interface Props {
  form: LinksForm
  errors: Errors
  /** Files that may have their own expiry; empty: not offered. */
  files: readonly File[]
  onChange: (part: Partial<LinksForm>) => void
}

const number = {
  type: 'number',
  inputMode: 'numeric',
  min: 1,
  step: 1,
  autoComplete: 'off',
} as const

const OWN = { value: 'own', label: t('Use each file’s setting') }
const EXPIRIES = [
  OWN,
  { value: 'set', label: t('After a number of days') },
  { value: 'never', label: t('Never') },
]
const LIMITS = [
  OWN,
  { value: 'set', label: t('A number of downloads') },
  { value: 'unlimited', label: t('Unlimited') },
]

export function LinkTermsFields({ form, errors, files, onChange }: Props) {
  const [each, setEach] = useState(false)
  return (
    <>
      <div className="pairs">
        <Select
          label={t('Links expire')}
          options={EXPIRIES}
          value={form.expiry}
          onChange={(expiry) => onChange({ expiry: expiry as LinksForm['expiry'] })}
        />
        <TextField
          {...number}
          label={t('Days until links expire')}
          suffix={t('days')}
          disabled={form.expiry !== 'set'}
          helpText={
            form.expiry === 'set' ? undefined : t('For links that expire after a number of days.')
          }
          value={form.expiry === 'set' ? form.days : ''}
          error={errors.days}
          onChange={(days) => onChange({ days })}
        />
        <Select
          label={t('Links allow')}
          options={LIMITS}
          value={form.limit}
          onChange={(limit) => onChange({ limit: limit as LinksForm['limit'] })}
        />
        <TextField
          {...number}
          label={t('Maximum downloads per link')}
          suffix={t('downloads')}
          disabled={form.limit !== 'set'}
          helpText={
            form.limit === 'set' ? undefined : t('For links that allow a number of downloads.')
          }
          value={form.limit === 'set' ? form.downloads : ''}
          error={errors.downloads}
          onChange={(downloads) => onChange({ downloads })}
        />
      </div>
      {files.length > 1 && !each && (
        <div>
          <Button variant="plain" onClick={() => setEach(true)}>
            {t('Set another expiry for some files')}
          </Button>
        </div>
      )}
      {each && <EachFile form={form} error={errors.custom} files={files} onChange={onChange} />}
      <Recipient form={form} errors={errors} onChange={onChange} />
    </>
  )
}

const Recipient = ({ form, errors, onChange }: Omit<Props, 'files'>) => (
  <>
    <TextField
      label={t('Customer’s email (optional)')}
      type="email"
      inputMode="email"
      placeholder={t('name@example.com')}
      helpText={t('Saved with the links, so that you can tell who they are for.')}
      value={form.email}
      error={errors.email}
      onChange={(email) => onChange({ email })}
    />
    <AskFields
      form={form}
      error={errors.password}
      own={t('What each file asks for')}
      onChange={onChange}
    />
  </>
)

interface EachProps extends Omit<Props, 'errors'> {
  error: string | undefined
}

function EachFile({ form, error, files, onChange }: EachProps) {
  const usual = (file: File) =>
    form.expiry === 'never'
      ? t('Never')
      : form.expiry === 'set'
        ? form.days
        : String(file.expiry_days ?? t('Never'))
  return (
    <fieldset className="plain-set">
      <legend>{t('Days until the link to this file expires')}</legend>
      {error && (
        <Text as="p" tone="critical">
          {error}
        </Text>
      )}
      <ul className="each-file">
        {files.map((file) => (
          <li key={file.id}>
            <Text as="span" breakWord>
              {file.filename}
            </Text>
            <TextField
              {...number}
              label={t('Days for {filename}', { filename: file.filename })}
              labelHidden
              placeholder={usual(file)}
              suffix={t('days')}
              value={ownValue(form.custom, file.id) ?? ''}
              onChange={(days) => onChange({ custom: { ...form.custom, [file.id]: days } })}
            />
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

// The dialog that makes a link for a file, and then shows it to be copied.
import { useState } from 'react'
import { useCreateLink } from '../../client/queries.ts'
import { type DownloadLink, type FileDetail } from '../../client/types.ts'
import { Code } from '../../components/copy.tsx'
import { Problem } from '../../components/problem.tsx'
import { BlockStack, ChoiceList, FormLayout, Modal, Text, TextField } from '../../ui/index.ts'
import { linkTerms } from '../../words/link.ts'
import { type LinkForm, type LinkFormErrors, linkFormFor, objections, readLinkForm } from './link-form.ts'

interface Props {
  file: FileDetail
  open: boolean
  onClose: () => void
}

export function CreateLink({ file, open, onClose }: Props) {
  const create = useCreateLink(file.id)
  const [form, setForm] = useState(() => linkFormFor(file))
  const [errors, setErrors] = useState<LinkFormErrors>({})
  const made = create.data?.data[0]
  const refusal = create.error ? objections(create.error) : null
  const close = () => {
    onClose()
    create.reset()
    setErrors({})
    setForm(linkFormFor(file))
  }
  const submit = () => {
    const result = readLinkForm(form)
    setErrors('errors' in result ? result.errors : {})
    if ('link' in result) create.mutate(result.link)
  }
  const change = (part: Partial<LinkForm>) => {
    setForm({ ...form, ...part })
    setErrors({})
    if (create.error) create.reset()
  }
  return (
    <Modal
      open={open}
      onClose={close}
      title={made ? 'Link created' : 'Create link'}
      primaryAction={
        made
          ? { content: 'Done', onAction: close }
          : { content: 'Create link', onAction: submit, loading: create.isPending }
      }
      secondaryActions={made ? [] : [{ content: 'Cancel', onAction: close }]}
    >
      <Modal.Section>
        {made ? (
          <Made link={made} />
        ) : (
          <BlockStack gap="400">
            {refusal?.other && <Problem error={refusal.other} what="The link could not be created" />}
            <Fields form={form} errors={{ ...refusal?.fields, ...errors }} onChange={change} onSubmit={submit} />
          </BlockStack>
        )}
      </Modal.Section>
    </Modal>
  )
}

function Made({ link }: { link: DownloadLink }) {
  return (
    <BlockStack gap="300">
      {link.url !== null && <Code text={link.url} what="link" wrap />}
      <Text as="p" tone="subdued">
        {linkTerms(link)}
      </Text>
    </BlockStack>
  )
}

interface FieldsProps {
  form: LinkForm
  errors: LinkFormErrors
  onChange: (part: Partial<LinkForm>) => void
  onSubmit: () => void
}

function Fields({ form, errors, onChange, onSubmit }: FieldsProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <FormLayout>
        <Bounded
          title="Expiry"
          free="Never expires"
          bound="Expires after"
          suffix="days"
          label="Days until the link expires"
          on={form.expires}
          text={form.expiryDays}
          error={errors.expiryDays}
          onToggle={(expires) => onChange({ expires })}
          onText={(expiryDays) => onChange({ expiryDays })}
        />
        <Bounded
          title="Downloads"
          free="Unlimited"
          bound="At most"
          suffix="downloads"
          label="Most downloads"
          on={form.limited}
          text={form.downloadLimit}
          error={errors.downloadLimit}
          onToggle={(limited) => onChange({ limited })}
          onText={(downloadLimit) => onChange({ downloadLimit })}
        />
        <TextField
          label="Customer’s email (optional)"
          type="email"
          inputMode="email"
          autoComplete="off"
          placeholder="name@example.com"
          helpText="Kept with the link, so that you know whose it is."
          value={form.email}
          error={errors.email}
          onChange={(email) => onChange({ email })}
        />
      </FormLayout>
      {/* Enter sends the form; the button that is seen stands in the dialog’s foot. */}
      <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
    </form>
  )
}

interface BoundedProps {
  title: string
  free: string
  bound: string
  suffix: string
  label: string
  on: boolean
  text: string
  error?: string
  onToggle: (on: boolean) => void
  onText: (text: string) => void
}

function Bounded({ title, free, bound, suffix, label, on, text, error, onToggle, onText }: BoundedProps) {
  return (
    <ChoiceList
      title={title}
      selected={[on ? 'bound' : 'free']}
      onChange={([choice]) => onToggle(choice === 'bound')}
      choices={[
        {
          label: bound,
          value: 'bound',
          renderChildren: (selected) =>
            selected && (
              <div style={{ maxInlineSize: 300 }}>
                <TextField
                  label={label}
                  labelHidden
                  type="number"
                  min={1}
                  step={1}
                  suffix={suffix}
                  autoComplete="off"
                  value={text}
                  error={error}
                  onChange={onText}
                />
              </div>
            ),
        },
        { label: free, value: 'free' },
      ]}
    />
  )
}

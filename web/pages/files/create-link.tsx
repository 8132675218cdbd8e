// The dialog that makes a link for a file, and then shows it to be copied.
import { useState } from 'react'
import { useCreateLink } from '../../client/queries.ts'
import { type DownloadLink, type FileDetail } from '../../client/types.ts'
import { Code } from '../../components/copy.tsx'
import { Problem } from '../../components/problem.tsx'
import { BlockStack, Modal, Text } from '../../ui/index.ts'
import { linkTerms } from '../../words/link.ts'
import { LinkFields } from './link-fields.tsx'
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
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                submit()
              }}
            >
              <LinkFields form={form} errors={{ ...refusal?.fields, ...errors }} onChange={change} />
              {/* Enter sends the form; the button that is seen stands in the dialog’s foot. */}
              <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
            </form>
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

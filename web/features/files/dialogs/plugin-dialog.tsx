// The dialog of any action, with its plugin's texts and form.
import { type ReactNode, useState } from 'react'
import { type Entry, fieldsOf } from '../../../shell/client/plugins.ts'
import { OptionForm } from '../../plugins/option-form/option-form.tsx'
import { shapeOf } from '../../plugins/option-shape.ts'
import { type MessageValues } from '../../../shell/messages/format.ts'
import { Banner, Text } from '../../../shell/ui/index.ts'
import { alternativesOf } from './action-form.ts'
import { textsOf } from './action-texts.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { type EntryProps } from './entry-props.ts'
import { FormError } from './form-error.tsx'
import { OthersPass } from './others-pass.tsx'
import { useActionForm } from './use-action-form.ts'
import { useWhichFiles, WhichFiles } from './which-files.tsx'

interface PluginDialogProps extends EntryProps {
  /** What an action shows above its form, in addition to its own texts. */
  children?: ReactNode | ((options: Record<string, unknown>) => ReactNode)
}

export function PluginDialog({ entry, children, ...props }: PluginDialogProps) {
  const { plugin, action } = entry
  const which = useWhichFiles(props.chosen, action.fits.places)
  const { chosen, counted } = which
  const form = useActionForm(entry, chosen)
  const [names, setNames] = useState<MessageValues>({})
  const texts = textsOf(entry, chosen, form.options, names)
  const fields = fieldsOf(entry)
  const name = (option: string, text: string) =>
    setNames((before) => ({ ...before, [`${option}_text`]: text }))
  return (
    <BulkDialog
      {...props}
      chosen={chosen}
      title={texts.title}
      run={
        form.confirming?.button ??
        ((count) => (counted ? texts.button(count) : action.labels.action))
      }
      destructive={action.destructive || form.confirming !== null}
      start={form.start}
      error={form.error}
      preview={previewOf(entry, chosen.select)}
      note={texts.note ?? undefined}
      size={fields.some(([, schema]) => shapeOf(schema).kind === 'rows') ? 'large' : undefined}
      work={form.work}
      about={which.offered.length > 0 ? null : undefined}
    >
      {texts.warning && (
        <Banner tone={texts.warning.tone} title={texts.warning.title}>
          <p>{texts.warning.text}</p>
        </Banner>
      )}
      {texts.intro && <Text as="p">{texts.intro}</Text>}
      {typeof children === 'function' ? children(form.options) : children}
      {action.fits.noun && <OthersPass chosen={chosen} {...action.fits.noun} />}
      <FormError text={form.whole} />
      <WhichFiles which={which} />
      {fields.length > 0 && (
        <OptionForm
          schema={plugin.options}
          value={form.options}
          onChange={form.change}
          path="options"
          problems={form.problems}
          fields={fields.map(([option]) => option)}
          alternatives={alternativesOf(entry)}
          dialog={{ files: chosen.files, known: chosen.known, name }}
        />
      )}
      {form.confirming && (
        <Banner tone="warning">
          <p>{form.confirming.text}</p>
        </Banner>
      )}
    </BulkDialog>
  )
}

/** The kind of preview that an action has before it runs. */
export function previewOf({ action }: Entry, select: object): 'offered' | 'required' | 'none' {
  if (action.preview === 'none') return 'none'
  const { preview_required: needed } = action
  return needed === 'always' || (needed === 'filter' && 'filter' in select) ? 'required' : 'offered'
}

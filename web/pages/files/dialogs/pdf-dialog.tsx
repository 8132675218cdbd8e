// Makes the chosen PDF documents smaller, and quick to open in a browser.
import { Checkbox } from '../../../ui/index.ts'
import { isPdf } from '../../../labels/file.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { type PixelsForm, readPixels, withPassword } from './document-options.ts'
import { PixelFields, PreserveOriginal } from './images-dialog.tsx'
import { OthersPass } from './others-pass.tsx'
import { PasswordField } from './password-field.tsx'
import { type Reading, useForm } from './use-form.ts'

interface PdfForm extends PixelsForm {
  linearize: boolean
  preserve_original: boolean
  password: string
}

function readPdf({ linearize, preserve_original, password, ...pixels }: PdfForm): Reading {
  const read = readPixels(pixels, 100)
  return 'errors' in read ? read : { options: { ...read, linearize, preserve_original, ...withPassword(password) } }
}

export function PdfDialog(props: BulkProps) {
  const { form, change, errors, bulk } = useForm<PdfForm>({
    initial: { max_px: '2000', quality: '75', linearize: true, preserve_original: true, password: '' },
    read: readPdf,
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('optimize-pdf')}
      title={`Optimize PDFs in ${countText(props.chosen.count, 'file', 'files')}`}
      run="Optimize PDFs"
    >
      <OthersPass chosen={props.chosen} fits={isPdf} one="PDF" many="PDFs" />
      <PixelFields form={form} errors={errors} onChange={change} />
      <Checkbox
        label="Optimize for viewing on the web"
        helpText="The first page shows while the rest still loads."
        checked={form.linearize}
        onChange={(linearize) => change({ linearize })}
      />
      <PreserveOriginal on={form.preserve_original} onChange={(preserve_original) => change({ preserve_original })} />
      <PasswordField value={form.password} error={errors.password} onChange={(password) => change({ password })} />
    </BulkDialog>
  )
}

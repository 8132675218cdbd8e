// Makes the chosen pictures smaller.
import { Checkbox, Select, TextField } from '../../../ui/index.ts'
import { isImage } from '../../../labels/file.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { type PixelsForm, readPixels } from './document-options.ts'
import { OthersPass } from './others-pass.tsx'
import { type Errors, type Reading, useForm } from './use-form.ts'

interface ImagesForm extends PixelsForm {
  format: 'webp' | 'same'
  preserve_original: boolean
}

function readImages({ format, preserve_original, ...pixels }: ImagesForm): Reading {
  const read = readPixels(pixels, 16)
  return 'errors' in read ? read : { options: { ...read, format, preserve_original } }
}

export function ImagesDialog(props: BulkProps) {
  const { form, change, errors, bulk } = useForm<ImagesForm>({
    initial: { max_px: '2000', quality: '80', format: 'webp', preserve_original: true },
    read: readImages,
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('optimize-image')}
      title={`Optimize images in ${countText(props.chosen.count, 'file', 'files')}`}
      run="Optimize images"
    >
      <OthersPass chosen={props.chosen} fits={isImage} one="image" many="images" />
      <PixelFields form={form} errors={errors} onChange={change} />
      <Select
        label="Format"
        options={[
          { value: 'webp', label: 'Convert to WebP' },
          { value: 'same', label: 'Keep each image’s own format' },
        ]}
        helpText={form.format === 'webp' ? 'The names’ endings become .webp.' : undefined}
        value={form.format}
        onChange={(format) => change({ format: format as ImagesForm['format'] })}
      />
      <PreserveOriginal on={form.preserve_original} onChange={(preserve_original) => change({ preserve_original })} />
    </BulkDialog>
  )
}

interface PixelFieldsProps {
  form: PixelsForm
  errors: Errors
  onChange: (part: Partial<PixelsForm>) => void
}

export function PixelFields({ form, errors, onChange }: PixelFieldsProps) {
  const number = { type: 'number', inputMode: 'numeric', min: 1, step: 1, autoComplete: 'off' } as const
  return (
    <div className="pairs">
      <TextField
        {...number}
        label="Longer side at most"
        suffix="pixels"
        helpText="Smaller images are not made larger."
        value={form.max_px}
        error={errors.max_px}
        onChange={(max_px) => onChange({ max_px })}
      />
      <TextField
        {...number}
        label="Quality"
        suffix="%"
        value={form.quality}
        error={errors.quality}
        onChange={(quality) => onChange({ quality })}
      />
    </div>
  )
}

export function PreserveOriginal({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <Checkbox
      label="Preserve the original"
      helpText={
        on
          ? 'It stays as a version of the file, and can be brought back at any time.'
          : 'It is kept for 7 days, for as long as this can be undone, and then deleted.'
      }
      checked={on}
      onChange={onChange}
    />
  )
}

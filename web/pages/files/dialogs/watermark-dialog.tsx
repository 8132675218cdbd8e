// Puts a mark on every page of the chosen PDF documents; a small page shows where it comes to stand.
import { ChoiceList, Select, TextField } from '../../../ui/index.ts'
import { isPdf } from '../../../labels/file.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { OthersPass } from './others-pass.tsx'
import { PasswordField } from './password-field.tsx'
import { PicturePicker } from './picture-picker.tsx'
import { type Errors, useForm } from './use-form.ts'
import { type Position, POSITIONS, readWatermark, type WatermarkForm } from './watermark-form.ts'
import './watermark.css'

const INITIAL: WatermarkForm = {
  kind: 'text',
  text: '',
  picture: null,
  position: 'diagonal',
  opacity: '30',
  font_size: '',
  password: '',
}

export function WatermarkDialog(props: BulkProps) {
  const { form, change, errors, bulk } = useForm<WatermarkForm>({
    initial: INITIAL,
    read: readWatermark,
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('watermark-pdf')}
      title={`Add a watermark to PDFs in ${countText(props.chosen.count, 'file', 'files')}`}
      run="Add watermark"
      note="The document without the mark stays as a version of the file. A preview shows which files get the mark."
    >
      <OthersPass chosen={props.chosen} fits={isPdf} one="PDF" many="PDFs" />
      <div className="watermark">
        <div className="watermark-fields">
          <ChoiceList
            title="What stands on every page"
            selected={[form.kind]}
            onChange={([kind]) => change({ kind: kind as WatermarkForm['kind'] })}
            choices={[
              { value: 'text', label: 'A text' },
              { value: 'picture', label: 'A picture' },
            ]}
          />
          {form.kind === 'text' ? (
            <TextField
              label="Text"
              autoComplete="off"
              autoFocus
              maxLength={200}
              value={form.text}
              error={errors.text}
              onChange={(text) => change({ text })}
            />
          ) : (
            <PicturePicker picture={form.picture} error={errors.picture} onPick={(picture) => change({ picture })} />
          )}
        </div>
        <SmallPage form={form} />
      </div>
      <PlaceFields form={form} errors={errors} onChange={change} />
      <PasswordField value={form.password} error={errors.password} onChange={(password) => change({ password })} />
    </BulkDialog>
  )
}

interface PlaceProps {
  form: WatermarkForm
  errors: Errors
  onChange: (part: Partial<WatermarkForm>) => void
}

function PlaceFields({ form, errors, onChange }: PlaceProps) {
  const number = { type: 'number', inputMode: 'numeric', min: 1, autoComplete: 'off' } as const
  return (
    <div className="pairs">
      <Select
        label="Position"
        options={Object.entries(POSITIONS).map(([value, label]) => ({ value, label }))}
        value={form.position}
        onChange={(position) => onChange({ position: position as Position })}
      />
      <TextField
        {...number}
        label="Opacity"
        max={100}
        suffix="%"
        value={form.opacity}
        error={errors.opacity}
        onChange={(opacity) => onChange({ opacity })}
      />
      {form.kind === 'text' && (
        <TextField
          {...number}
          label="Size of the letters (optional)"
          suffix="points"
          placeholder="As it fits"
          value={form.font_size}
          error={errors.font_size}
          onChange={(font_size) => onChange({ font_size })}
        />
      )}
    </div>
  )
}

const LINES = 9

/** A sketch: the letters of the document itself may be of another size. */
function SmallPage({ form }: { form: WatermarkForm }) {
  const opacity = Math.min(100, Math.max(5, Number(form.opacity) || 30)) / 100
  const mark = form.kind === 'text' ? form.text.trim() || 'Text' : (form.picture?.filename ?? 'Picture')
  return (
    <div className="small-page" aria-hidden="true">
      {Array.from({ length: LINES }, (_, line) => (
        <span key={line} className="small-line" />
      ))}
      <span className={`small-mark ${form.position} ${form.kind}`} style={{ opacity }}>
        {mark}
      </span>
    </div>
  )
}

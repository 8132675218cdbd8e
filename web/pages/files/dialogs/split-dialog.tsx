// Cuts the chosen PDF documents into several, which are new files beside them.
import { ChoiceList, TextField } from '../../../ui/index.ts'
import { isPdf } from '../../../labels/file.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { OthersPass } from './others-pass.tsx'
import { PasswordField } from './password-field.tsx'
import { readSplit, type SplitForm } from './split-form.ts'
import { useForm } from './use-form.ts'

export function SplitDialog(props: BulkProps) {
  const { form, change, errors, bulk } = useForm<SplitForm>({
    initial: { how: 'page', every: '10', ranges: '', password: '' },
    read: readSplit,
  })
  return (
    <BulkDialog
      {...props}
      {...bulk('split-pdf')}
      title={`Split PDFs in ${countText(props.chosen.count, 'file', 'files')}`}
      run="Split PDFs"
    >
      <OthersPass chosen={props.chosen} fits={isPdf} one="PDF" many="PDFs" />
      <ChoiceList
        title="Where to cut"
        selected={[form.how]}
        onChange={([how]) => change({ how: how as SplitForm['how'] })}
        choices={[
          { value: 'page', label: 'After every page' },
          {
            value: 'every',
            label: 'After every few pages',
            renderChildren: (on) =>
              on && (
                <TextField
                  label="Pages in each part"
                  type="number"
                  inputMode="numeric"
                  min={1}
                  suffix="pages"
                  autoComplete="off"
                  value={form.every}
                  error={errors.every}
                  onChange={(every) => change({ every })}
                />
              ),
          },
          {
            value: 'ranges',
            label: 'Into ranges of pages',
            renderChildren: (on) =>
              on && (
                <TextField
                  label="Pages"
                  placeholder="1-3, 5, 8-12"
                  helpText="A part each, between commas; 7- is from the seventh page to the end. The same for every document."
                  autoComplete="off"
                  value={form.ranges}
                  error={errors.ranges}
                  onChange={(ranges) => change({ ranges })}
                />
              ),
          },
        ]}
      />
      <PasswordField value={form.password} error={errors.password} onChange={(password) => change({ password })} />
    </BulkDialog>
  )
}

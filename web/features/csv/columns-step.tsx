// Assigns columns to fields, with a preview of the first rows; and the options of the check.
import { useState } from 'react'
import {
  CSV_FIELDS,
  type CsvCheck,
  type CsvColumns,
  type CsvEncoding,
  type CsvUpload,
  useCheckCsv,
  useChooseEncoding,
  useChooseHeader,
  useChooseSheet,
  useSetColumns,
} from './calls.ts'
import { Figures } from '../../shell/components/facts.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import {
  Banner,
  BlockStack,
  Button,
  Checkbox,
  InlineStack,
  Select,
  Text,
} from '../../shell/ui/index.ts'
import { CSV_FIELDS_TEXT, delimiterText, ENCODINGS, problemPlace } from './labels.ts'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { CONFLICTS, type Conflict } from '../upload/labels.ts'
import { Preview } from './preview.tsx'
import { useRequestHeaders } from './request-headers.tsx'
import { SaveMapping } from './save-mapping.tsx'
import '../../shell/components/form.css'
import { detailText, messageText } from '../../shell/messages/server-text.ts'
import { t, translated } from '../../shell/messages/t.ts'

interface Props {
  upload: CsvUpload
  onChecking: () => void
}

export function ColumnsStep({ upload, onChecking }: Props) {
  return (
    <>
      <Format upload={upload} />
      <Columns upload={upload} />
      <Preview upload={upload} />
      <Check upload={upload} onChecking={onChecking} />
    </>
  )
}

function Format({ upload }: { upload: CsvUpload }) {
  return (
    <Titled title={t('Format')}>
      <Figures
        rows={[
          [t('Rows'), numberText(upload.rows)],
          [t('Size'), sizeText(upload.size_bytes)],
          ...(upload.sheet === null
            ? [[t('Delimiter'), delimiterText(upload.delimiter)] as const]
            : [[sheetLabel(upload), translated(upload.sheet)] as const]),
        ]}
      />
      <ExportNote upload={upload} />
      <CorrectionsNote upload={upload} />
      {!upload.is_workbook && <EncodingChoice upload={upload} />}
      {upload.sheet !== null && <SheetChoice upload={upload} sheet={upload.sheet} />}
      {!upload.list && <HeaderChoice upload={upload} />}
      {upload.problems.length > 0 && (
        <Banner tone="warning" title={t('Some rows don’t match the header')}>
          <ul className="bullets">
            {upload.problems.slice(0, 5).map((problem) => (
              <li key={`${problem.row} ${problem.column}`}>
                {problemPlace(problem)}: {detailText(problem) ?? messageText(problem)}
              </li>
            ))}
          </ul>
        </Banner>
      )}
    </Titled>
  )
}

/** Another reading of the file has other rows and columns. */
function CorrectionsNote({ upload: { corrections } }: { upload: CsvUpload }) {
  const rows = corrections.rows + corrections.left_out
  if (rows === 0) return null
  return (
    <Banner tone="info">
      <p>
        {t(
          '{rows, plural, one {# row is} other {# rows are}} corrected or left out. Another encoding, header or sheet drops these corrections; other columns do not.',
          { rows },
        )}
      </p>
    </Banner>
  )
}

const sheetLabel = ({ is_workbook }: CsvUpload) => (is_workbook ? t('Sheet') : t('Read as'))

/** What was recognised as an export of a shop, and what it became. */
function ExportNote({ upload: { list, kind } }: { upload: CsvUpload }) {
  if (kind === 'storefront_products')
    return (
      <Banner tone="warning" title={t('This is a list of the storefront’s products')}>
        <p>
          {t(
            'It has addresses of pictures, and none of files. Add a column with the addresses of the files, or upload the files and let their names find the products.',
          )}
        </p>
      </Banner>
    )
  if (!list) return null
  return (
    <Banner tone="info" title={EXPORTS[list.id]}>
      <p>
        {t(
          'The list has one row for each file: {files, plural, one {# file} other {# files}} of {products, plural, one {# product} other {# products}}.',
          { files: list.files, products: list.products },
        )}{' '}
        {list.without_files > 0 &&
          t(
            '{count, plural, one {# product without files is} other {# products without files are}} not in it.',
            { count: list.without_files },
          )}
      </p>
    </Banner>
  )
}

const EXPORTS = {
  woocommerce: t('This is an export of WooCommerce'),
  edd: t('This is an export of Easy Digital Downloads'),
  several_files: t('Rows of this file have several files'),
} as const

/** Letters that look wrong in the preview are the sign of a wrong encoding. */
function EncodingChoice({ upload: { id, encoding, encoding_sure } }: { upload: CsvUpload }) {
  const choose = useChooseEncoding(id)
  return (
    <BlockStack gap="300">
      {choose.error && (
        <Problem error={choose.error} what={t('The file could not be read in this encoding')} />
      )}
      {!encoding_sure && !choose.isPending && (
        <Banner tone="warning" title={t('The encoding of this file is not certain')}>
          <p>
            {t(
              'Look at the accents and letters in the preview. If they are wrong, choose another encoding.',
            )}
          </p>
        </Banner>
      )}
      <div className="fields">
        <Select
          label={t('Encoding')}
          disabled={choose.isPending}
          options={Object.entries(ENCODINGS).map(([value, label]) => ({ value, label }))}
          value={choose.isPending ? choose.variables : encoding}
          onChange={(value) => choose.mutate(value as CsvEncoding)}
        />
      </div>
    </BlockStack>
  )
}

function SheetChoice({ upload, sheet }: { upload: CsvUpload; sheet: string }) {
  const { id, sheets } = upload
  const choose = useChooseSheet(id)
  if (sheets.length < 2) return null
  return (
    <BlockStack gap="300">
      {choose.error && (
        <Problem error={choose.error} what={t('This sheet could not be read as a table')} />
      )}
      <div className="fields">
        <Select
          label={sheetLabel(upload)}
          disabled={choose.isPending}
          options={sheets.map((name) => ({ value: name, label: translated(name) }))}
          value={choose.isPending ? choose.variables : sheet}
          onChange={(name) => choose.mutate(name)}
        />
      </div>
    </BlockStack>
  )
}

/** Title rows precede the header of some files, and others have none. */
function HeaderChoice({ upload: { id, header_row, head } }: { upload: CsvUpload }) {
  const choose = useChooseHeader(id)
  const [first] = head
  if (!first) return null
  return (
    <BlockStack gap="300">
      {choose.error && (
        <Problem error={choose.error} what={t('The file could not be read with this header')} />
      )}
      {header_row !== first.row && !choose.isPending && (
        <Banner tone="info">
          <p>
            {header_row === 0
              ? t('The first row seems to be a file: the columns have no names.')
              : t('The header seems to be in row {row}: the rows above it are not imported.', {
                  row: header_row,
                })}
          </p>
        </Banner>
      )}
      <div className="fields">
        <Select
          label={t('Header')}
          disabled={choose.isPending}
          options={[
            { value: '0', label: t('The file has no header') },
            ...head.map(({ row, cells }) => ({
              value: String(row),
              label: t('Row {row}: {cells}', { row, cells: cells.join(' · ') }),
            })),
          ]}
          value={String(choose.isPending ? choose.variables : header_row)}
          onChange={(row) => choose.mutate(Number(row))}
        />
      </div>
    </BlockStack>
  )
}

function Columns({ upload }: { upload: CsvUpload }) {
  const { id, mapping, missing, headers, saved_mapping } = upload
  const set = useSetColumns(id)
  const shown = set.isPending ? set.variables : mapping
  // A column can belong to one field only: it is removed from the other field.
  const choose = (field: keyof CsvColumns, header: string | null) =>
    set.mutate(
      Object.fromEntries(
        CSV_FIELDS.map((one) => [
          one,
          one === field ? header : shown[one] === header ? null : shown[one],
        ]),
      ) as CsvColumns,
    )
  return (
    <Titled
      title={t('Columns')}
      help={t('Change the suggestions where needed. Columns that you don’t choose are ignored.')}
    >
      {set.error && <Problem error={set.error} what={t('The columns could not be changed')} />}
      {saved_mapping !== null && (
        <Banner tone="info">
          <p>
            {t('The saved mapping “{name}” was applied: this file has the same columns.', {
              name: saved_mapping,
            })}
          </p>
        </Banner>
      )}
      <BlockStack gap="400">
        <div className="fields">
          {CSV_FIELDS.map((field) => (
            <Select
              key={field}
              label={CSV_FIELDS_TEXT[field].label}
              requiredIndicator={CSV_FIELDS_TEXT[field].required && shown.id === null}
              helpText={CSV_FIELDS_TEXT[field].help}
              error={
                missing.includes(field) && shown[field] === null
                  ? t('Choose a column for this field')
                  : undefined
              }
              options={[
                { value: '', label: t('None') },
                ...headers.map((header) => ({ value: `=${header}`, label: header })),
              ]}
              value={shown[field] === null ? '' : `=${shown[field]}`}
              onChange={(value) => choose(field, value === '' ? null : value.slice(1))}
            />
          ))}
        </div>
        <SaveMapping upload={upload} />
      </BlockStack>
    </Titled>
  )
}

type RowModes = Pick<CsvCheck, 'match' | 'tags' | 'packs' | 'products'>

const namesProducts = ({ product_sku, product_handle, product_id }: CsvColumns) =>
  [product_sku, product_handle, product_id].some((header) => header !== null)

function Check({ upload: { id, check: before, missing: required, mapping }, onChecking }: Props) {
  const [conflict, setConflict] = useState<Conflict>(before?.on_conflict ?? 'error')
  const [probe, setProbe] = useState(before?.probe ?? true)
  const headers = useRequestHeaders(before?.has_headers ?? false)
  const [modes, setModes] = useState<RowModes>({
    match: before?.match ?? 'id',
    tags: before?.tags ?? 'replace',
    packs: before?.packs ?? 'replace',
    products: before?.products ?? 'add',
  })
  // Rows that change files by their names need no address.
  const missing = modes.match === 'id' ? required : required.filter((field) => field !== 'file_url')
  const check = useCheckCsv(id)
  return (
    <Titled
      title={t('Check the whole file')}
      help={t('Every row is checked before the import starts.')}
    >
      {check.error && <Problem error={check.error} what={t('The check could not be started')} />}
      <div className="fields">
        <Select
          label={t('If a file with the same name exists')}
          options={[
            { value: 'error', label: t('Report an error') },
            { value: 'skip', label: t('Leave the row out') },
            ...Object.entries(CONFLICTS).map(([value, label]) => ({ value, label })),
          ]}
          value={conflict}
          onChange={(value) => setConflict(value as Conflict)}
        />
        <RowChoices mapping={mapping} modes={modes} onChange={setModes} />
      </div>
      <Checkbox
        label={t('Check that every file URL responds')}
        helpText={t(
          'Finds files that are missing, not accessible or too large. This takes a few minutes for a long CSV file.',
        )}
        checked={probe}
        onChange={setProbe}
      />
      {headers.fields}
      <InlineStack gap="300" blockAlign="center">
        <Button
          variant="primary"
          disabled={missing.length > 0}
          loading={check.isPending}
          onClick={() =>
            check.mutate(
              { probe, on_conflict: conflict, ...modes, ...headers.body },
              { onSuccess: onChecking },
            )
          }
        >
          {t('Check the file')}
        </Button>
        <MissingColumns missing={missing} />
      </InlineStack>
    </Titled>
  )
}

const MissingColumns = ({ missing }: { missing: readonly string[] }) =>
  missing.length === 0 ? null : (
    <Text as="span" tone="subdued">
      {t('Choose a column first for: {fields}.', {
        fields: CSV_FIELDS.filter((field) => missing.includes(field))
          .map((field) => CSV_FIELDS_TEXT[field].label)
          .join(', '),
      })}
    </Text>
  )

interface RowChoicesProps {
  mapping: CsvColumns
  modes: RowModes
  onChange: (modes: RowModes) => void
}

/** How rows find existing files, and change them. */
const RowChoices = ({ mapping, modes, onChange }: RowChoicesProps) => (
  <>
    <Select
      label={t('Rows change existing files')}
      helpText={t(
        'A file of a row’s name is changed, and gets the bytes of its URL, if it has one.',
      )}
      options={[
        { value: 'id', label: t('Match by ID') },
        { value: 'filename', label: t('Match by name where there is no ID') },
      ]}
      value={modes.match}
      onChange={(value) => onChange({ ...modes, match: value as RowModes['match'] })}
    />
    {mapping.tags !== null && (
      <Select
        label={t('Tags of existing files')}
        helpText={t('Tags with + or - are always added or removed.')}
        options={[
          { value: 'replace', label: t('The row’s tags replace them') },
          { value: 'add', label: t('The row’s tags are added') },
        ]}
        value={modes.tags}
        onChange={(value) => onChange({ ...modes, tags: value as RowModes['tags'] })}
      />
    )}
    {mapping.pack !== null && (
      <Select
        label={t('Packs of existing files')}
        helpText={t('Packs with + or - are always added or removed.')}
        options={[
          { value: 'replace', label: t('The row’s packs replace them') },
          { value: 'add', label: t('The row’s packs are added') },
        ]}
        value={modes.packs}
        onChange={(value) => onChange({ ...modes, packs: value as RowModes['packs'] })}
      />
    )}
    {namesProducts(mapping) && (
      <Select
        label={t('Products of existing files')}
        helpText={t('If a product of a row is unknown, none is removed.')}
        options={[
          { value: 'add', label: t('The row’s products are added') },
          { value: 'replace', label: t('The row’s products replace them') },
        ]}
        value={modes.products}
        onChange={(value) => onChange({ ...modes, products: value as RowModes['products'] })}
      />
    )}
  </>
)

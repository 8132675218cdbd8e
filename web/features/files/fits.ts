// Does an action fit the selected files? By the rules of its plugin.
import { type FileTest, type FitRule } from '../../shell/client/plugins.ts'
import { type File } from '../../shell/client/types.ts'
import { extensionOf } from '../../shell/files/labels.ts'
import { type ActionFiles } from './selection.ts'

export function meetsTest({ extensions, mapped, tagged, capitals }: FileTest, file: File): boolean {
  if (extensions && !extensions.includes(extensionOf(file.filename))) return false
  if (mapped && file.mappings.length === 0) return false
  if (tagged && file.tags.length === 0) return false
  return !capitals || file.tags.some((tag) => tag !== tag.toLowerCase())
}

/** Why an action does not fit the selection; null: it does. */
export function unfitReason(rules: readonly FitRule[], chosen: ActionFiles): string | null {
  for (const rule of rules) {
    const reason = reasonOf(rule, chosen)
    if (reason !== null) return reason
  }
  return null
}

/** A selection that the page does not know completely cannot be judged. */
function reasonOf(rule: FitRule, { files, known, count }: ActionFiles): string | null {
  switch (rule.rule) {
    case 'ticked':
      return known && count <= rule.most ? null : rule.why
    case 'some': {
      const fitting = files.filter((file) => meetsTest(rule.files, file)).length
      return known && fitting < (rule.least ?? 1) ? rule.why : null
    }
    case 'every': {
      const other = known ? files.find((file) => !meetsTest(rule.files, file)) : undefined
      return other ? rule.why.replaceAll('{filename}', other.filename) : null
    }
  }
}

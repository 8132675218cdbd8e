// How each selected file whose name is taken is handled, from the answers for some of them.
import type { ChosenFile } from '../../shell/components/chosen-files.ts'
import type { Choice } from './conflicts-dialog.tsx'
import { comparableName } from './outcomes.ts'
import type { AddedFile } from './queue-files.ts'

/**
 * A file without a question shares its name only with later files of the same selection. It gets
 * their answer: uploads arrive in any order, and the name may be taken when it arrives.
 */
export function conflictsOf(
  files: readonly ChosenFile[],
  choices: ReadonlyMap<ChosenFile, Choice>,
): AddedFile[] {
  const answers = new Map<string, Exclude<Choice, 'skip'>>()
  for (const [{ data }, choice] of choices) {
    const name = comparableName(data.name)
    if (choice !== 'skip' && !answers.has(name)) answers.set(name, choice)
  }
  return files.flatMap((file): AddedFile[] => {
    const choice = choices.get(file) ?? answers.get(comparableName(file.data.name)) ?? 'error'
    return choice === 'skip' ? [] : [{ ...file, on_conflict: choice }]
  })
}

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { decideOneWay, decideTwoWay, needsConfirmation, type SideState } from './decide.ts'

/** The contents of one side by path. */
type Side = Map<string, string>

const standing = (base: string | undefined, side: string | undefined): SideState => {
  if (side === undefined) return 'absent'
  if (base === undefined) return 'new'
  return side === base ? 'same' : 'changed'
}

/** Applies every decision; a conflict creates a second object and file. */
function synced(base: Side, theirs: Side, ours: Side, decide: typeof decideTwoWay) {
  const [nextTheirs, nextOurs] = [new Map(theirs), new Map(ours)]
  for (const path of new Set([...base.keys(), ...theirs.keys(), ...ours.keys()])) {
    const decision = decide({
      base: base.has(path),
      theirs: standing(base.get(path), theirs.get(path)),
      ours: standing(base.get(path), ours.get(path)),
    })
    if (decision === 'add' || decision === 'change') nextOurs.set(path, theirs.get(path)!)
    if (decision === 'remove') nextOurs.delete(path)
    if (decision === 'send') nextTheirs.set(path, ours.get(path)!)
    if (decision === 'remove_there') nextTheirs.delete(path)
    if (decision === 'conflict') {
      nextOurs.set(path, theirs.get(path)!)
      nextOurs.set(`${path} ours`, ours.get(path)!)
      nextTheirs.set(`${path} ours`, ours.get(path)!)
    }
  }
  return { theirs: nextTheirs, ours: nextOurs }
}

const side = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3', '4'))
  .map((contents) => new Map(Object.entries(contents)))

describe('a two-way comparison', () => {
  it('makes both sides equal, and then has nothing to do', () => {
    fc.assert(
      fc.property(side, side, side, (base, theirs, ours) => {
        const after = synced(base, theirs, ours, decideTwoWay)
        expect(after.ours).toEqual(after.theirs)
        const again = synced(after.theirs, after.theirs, after.ours, decideTwoWay)
        expect(again).toEqual(after)
      }),
    )
  })
  it('loses only what one side deleted and the other left unchanged', () => {
    fc.assert(
      fc.property(side, side, side, (base, theirs, ours) => {
        const after = synced(base, theirs, ours, decideTwoWay)
        const kept = new Set(after.ours.values())
        for (const changed of [theirs, ours])
          for (const [path, content] of changed)
            if (content !== base.get(path)) expect(kept).toContain(content)
      }),
    )
  })
  it('keeps what both sides have', () => {
    fc.assert(
      fc.property(side, side, (base, both) => {
        const after = synced(base, both, both, decideTwoWay)
        for (const [path, content] of both) expect(after.ours.get(path)).toBe(content)
      }),
    )
  })
})

describe('a one-way comparison', () => {
  it('never changes the provider', () => {
    fc.assert(
      fc.property(side, side, side, (base, theirs, ours) => {
        expect(synced(base, theirs, ours, decideOneWay).theirs).toEqual(theirs)
      }),
    )
  })
  it('imports what the provider has, except files deleted in the shop', () => {
    fc.assert(
      fc.property(side, side, (base, theirs) => {
        expect(synced(base, theirs, base, decideOneWay).ours).toEqual(theirs)
      }),
    )
  })
  it('keeps a deleted file deleted until it changes at the provider', () => {
    expect(decideOneWay({ base: true, theirs: 'same', ours: 'absent' })).toBe(null)
    expect(decideOneWay({ base: true, theirs: 'changed', ours: 'absent' })).toBe('add')
  })
})

const usual = { known: 1000, deleted: 0, replaced: 0, sent: 0, first: false }
test.each([
  [{ deleted: 100 }, null],
  [{ deleted: 101 }, 'deletions'],
  [{ deleted: 20, known: 100 }, null],
  [{ deleted: 21, known: 100 }, 'deletions'],
  [{ deleted: 1, known: 1 }, 'deletions'],
  [{ first: true }, null],
  [{ first: true, replaced: 1 }, 'first_sync'],
  [{ first: true, sent: 1 }, 'uploads'],
  [{ replaced: 5, sent: 500 }, null],
])('a sync of %j waits for confirmation: %s', (change, expected) => {
  expect(needsConfirmation({ ...usual, ...change })).toBe(expected)
})

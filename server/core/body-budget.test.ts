// The bytes of bodies that the process holds, by their owners.
import { expect, it } from 'vitest'
import { BodyBudget, type BodyOwner } from './body-budget.ts'
import type { AppError } from './errors.ts'

const shop = (name: string): BodyOwner => ({ name: `shop ${name}`, signedIn: true })
const stranger = (name: string): BodyOwner => ({ name: `network ${name}`, signedIn: false })

function budgetOf(total: number, unsigned: number, share: number) {
  const budget = new BodyBudget({ total, unsigned, share })
  const ended: string[] = []
  const open = (owner: BodyOwner, name = owner.name) =>
    budget.open(owner, ({ code, retryAfter }: AppError) =>
      ended.push(`${name}: ${code} ${retryAfter}`),
    )
  return { budget, ended, open }
}
const refusal = (code: string) => expect.objectContaining({ code, retryAfter: 10 })

it('refuses bodies of one owner beyond its share, and frees those that have ended', () => {
  const { budget, open } = budgetOf(1000, 500, 100)
  const first = open(stranger('a'))
  first.add(60)
  const second = open(stranger('a'))
  second.add(40)
  expect(() => second.add(1)).toThrow(refusal('too_many_bodies'))
  open(stranger('b')).add(100)
  open(shop('1')).add(100)
  expect(budget.held()).toEqual({ signedIn: 100, unsigned: 200 })
  first.free()
  first.free()
  second.add(60)
  expect(budget.held()).toEqual({ signedIn: 100, unsigned: 200 })
})

it('accepts one body that is larger than a share', () => {
  const { open } = budgetOf(1000, 500, 100)
  const seat = open(shop('1'))
  seat.add(150)
  seat.add(50)
  expect(() => open(shop('1')).add(1)).toThrow(refusal('too_many_bodies'))
})

it('ends the oldest body of the owner that holds most when all bodies are too large', () => {
  const { budget, ended, open } = budgetOf(250, 200, 100)
  open(shop('1'), 'first').add(40)
  open(shop('1'), 'second').add(60)
  open(shop('2')).add(100)
  const late = open(stranger('a'))
  late.add(50)
  expect(ended).toEqual([])
  late.add(10)
  expect(ended).toEqual(['first: bodies_full 10'])
  expect(budget.held()).toEqual({ signedIn: 160, unsigned: 60 })
})

it('strangers together never take the room of those who have signed in', () => {
  const { budget, ended, open } = budgetOf(300, 100, 60)
  open(shop('1')).add(60)
  open(stranger('a')).add(60)
  open(stranger('b')).add(40)
  open(stranger('c')).add(60)
  expect(ended).toEqual(['network a: bodies_full 10'])
  expect(() => open(stranger('c')).add(1)).toThrow(refusal('too_many_bodies'))
  expect(budget.held()).toEqual({ signedIn: 60, unsigned: 100 })
})

it('ends no body that has arrived: its request is being answered', () => {
  const { ended, open } = budgetOf(100, 100, 100)
  const whole = open(shop('1'))
  whole.add(100)
  whole.arrived()
  expect(() => open(shop('2')).add(1)).toThrow(refusal('bodies_full'))
  whole.free()
  open(shop('2')).add(1)
  expect(ended).toEqual([])
})

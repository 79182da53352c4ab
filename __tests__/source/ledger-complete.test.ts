import { test } from '@jest/globals'
import { expectComplete } from './random-commits'

const seeds = Array.from({ length: 6 }, (_, index) => index + 1)

test.each(seeds)('every changed file of a random repository has one entry: seed %i', expectComplete)

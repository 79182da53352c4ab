// The same with the version of helm before the newest.
import { helms } from './hostile'
import { hostileCharts } from './hostile-charts'

for (const helm of helms.slice(1)) hostileCharts(helm)

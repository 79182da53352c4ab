import { helm } from './hostile'
import { hostileCharts } from './hostile-charts'

hostileCharts(helm)
